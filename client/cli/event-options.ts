import { type Command, Option } from 'commander';
import type { EventFilter } from '#contract/record.js';
import { nearest } from '#contract/text/nearest.js';
import { SKIP_CODES, type SkipCode } from '#contract/verdict.js';
import { CliError } from './cli-error.js';
import { tenantFrom } from './tenant-option.js';
import { shellWord } from './terminal/shell-word.js';

export interface EventOptions {
  session?: string;
  tool?: string;
  rule?: string;
  event?: string;
  fired?: boolean;
  /** True: whatever the code. */
  skipped?: string | true;
  since?: string;
  tenant?: string;
}

/** The options by which events are picked out of the record. */
export function addEventOptions(command: Command): Command {
  return command
    .option('--session <id>', 'only those of one session')
    .option('--tool <name>', 'only those that name this tool')
    .option('--rule <id>', 'only those that this rule gave a verdict on')
    .option('--event <name>', 'only those of this name')
    .addOption(new Option('--fired', 'only those that a rule fired for').conflicts('skipped'))
    .option('--skipped [code]', 'only those that no rule fired for, or those with such a skip');
}

export function filterFrom(options: EventOptions, now: number): EventFilter {
  const { session, tool, rule, event, fired, skipped, since } = options;
  return {
    tenant: tenantFrom(options, process.env),
    ...(session !== undefined && { session }),
    ...(tool !== undefined && { tool }),
    ...(rule !== undefined && { rule }),
    ...(event !== undefined && { event }),
    ...(fired && { verdict: 'fired' as const }),
    ...(skipped === true && { verdict: 'skipped' as const }),
    ...(typeof skipped === 'string' && { code: codeFrom(skipped) }),
    ...(since !== undefined && { sinceAt: instantFrom('--since', since, now) }),
  };
}

/** The filter as it is written on a command line, without the tenant. */
export function writtenFilter(
  { session, tool, rule, event, fired, skipped }: EventOptions,
  { sinceAt }: Pick<EventFilter, 'sinceAt'>,
): string[] {
  // Not as it was given: half an hour ago is another time by then.
  const since = sinceAt === undefined ? undefined : new Date(sinceAt).toISOString();
  const texts = { session, tool, rule, event, skipped: skipped === true ? undefined : skipped, since };
  return [
    ...Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [`--${name}`, shellWord(text)])),
    ...(fired ? ['--fired'] : []),
    ...(skipped === true ? ['--skipped'] : []),
  ];
}

function codeFrom(written: string): SkipCode {
  if (Object.hasOwn(SKIP_CODES, written)) return written as SkipCode;
  const codes = Object.keys(SKIP_CODES);
  const guess = nearest(written, codes);
  throw new CliError(
    `--skipped: ${JSON.stringify(written)} is no code of a skip${guess ? `: did you mean ${guess}?` : '.'} Known: ${codes.join(', ')}`,
  );
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** "30m" ago, or an instant such as "2026-11-20T03:07:00Z". */
export function instantFrom(option: string, written: string, now: number): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(written) ?? [];
  if (count !== undefined) return now - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  const at = /^\d{4}-\d{2}-\d{2}([T ]|$)/.test(written) ? Date.parse(written) : NaN;
  if (Number.isFinite(at)) return at;
  throw new CliError(
    `${option}: expected how long ago, such as 30m, 2h or 7d, or a time such as 2026-11-20T03:07:00Z; found ${JSON.stringify(written)}`,
  );
}
