import type { Command } from 'commander';
import type { MeshEvent } from '#contract/event.js';
import { visible } from '#contract/text/plain-text.js';
import { formatProblem, type Problem } from '#contract/text/problem.js';
import type { Ruleset } from '#contract/ruleset.js';
import { readSettings } from '#contract/settings.js';
import type { MissedRule, Verdict } from '#contract/views/verdicts.js';
import { matchEvent } from '#rules/match.js';
import { parseRuleset } from '#rules/parse-ruleset.js';
import { createRedactor, type Redactor } from '#contract/text/redact/redact.js';
import { simulate, type SimulatedStep } from '#rules/simulate.js';
import { CliError } from './cli-error.js';
import { inputName, type JsonLine, parseJsonLines, readInput } from './read-input.js';
import { parseEvent } from '../parse-event.js';

interface SimulateOptions {
  rules: string;
  events: string;
  explain?: boolean;
  json?: boolean;
}

export function addSimulateCommand(program: Command): void {
  program
    .command('simulate')
    .description('judge events against rules without a server: what would fire, and why the rest would not')
    .requiredOption('-r, --rules <file>', 'rule file')
    .requiredOption(
      '-e, --events <file>',
      'one {"atMs": 0, "event": {…}}, or one event, per line; - for standard input',
    )
    .option('--explain', 'say of every rule that did not look at an event what it missed on')
    .option('--json', 'print one {"atMs", "verdicts"} per line; with --explain also "missed"')
    .action(runSimulation);
}

async function runSimulation(options: SimulateOptions): Promise<void> {
  const parsed = parseRuleset(await readInput(options.rules), inputName(options.rules));
  if (!parsed.ok) throw new CliError(parsed.problems.map(formatProblem).join('\n'));
  const eventsName = inputName(options.events);
  const redactor = createRedactor({ keys: readSettings(process.env).settings.redactKeys });
  const steps = parseSteps(parseJsonLines(await readInput(options.events), eventsName), eventsName, redactor);
  const loaded = { ruleset: parsed.ruleset, hash: 'simulated', source: options.rules, problems: [] };
  const verdicts = simulate(loaded, steps);
  const lines = steps.map((step, index) => {
    const ofStep = verdicts[index] ?? [];
    const missed = options.explain ? { missed: missesOf(parsed.ruleset, step.event) } : {};
    return options.json
      ? JSON.stringify({ atMs: step.atMs, verdicts: ofStep, ...missed })
      : table(step, ofStep, missed);
  });
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

/** Rule by rule, since a match of all of them keeps the nearest misses only. */
function missesOf(ruleset: Ruleset, event: MeshEvent): MissedRule[] {
  return ruleset.rules.flatMap((rule) => matchEvent({ ...ruleset, rules: [rule] }, event).misses ?? []);
}

function table(
  { atMs, event }: SimulatedStep,
  verdicts: Verdict[],
  { missed = [] }: { missed?: MissedRule[] },
): string {
  const head = `${formatTime(atMs)}  ${event.event} ${event.outcome}${event.depth > 0 ? ` depth ${event.depth}` : ''}`;
  const judged = verdicts.map((verdict) => {
    const what = verdict.rule === undefined ? 'whole event' : `${verdict.rule} / ${verdict.action}`;
    return { what, says: verdict.verdict === 'fire' ? 'FIRE' : `skip ${verdict.code}: ${verdict.reason}` };
  });
  const rows = [...judged, ...missed.map(({ rule, reason }) => ({ what: rule, says: `did not look: ${reason}` }))];
  const width = Math.max(...rows.map(({ what }) => visible(what).length));
  return [head, ...rows.map(({ what, says }) => `    ${visible(what).padEnd(width)}  ${visible(says)}`)].join('\n');
}

function formatTime(atMs: number): string {
  return `${(atMs / 1000).toFixed(3)} s`.padStart(12);
}

/**
 * Reads what `simulate` judges: `{"atMs", "event"}` lines, and plain events as `send` takes them. A plain event comes when
 * it says it happened, counted from the first one that says so; without that, together with the line before, as `send`
 * would report it. Time never goes back for it.
 */
export function parseSteps(lines: JsonLine[], file: string, redactor: Redactor): SimulatedStep[] {
  const steps: SimulatedStep[] = [];
  const problems: Problem[] = [];
  let startAt: number | undefined;
  lines.forEach(({ line, value }, index) => {
    const beforeMs = steps.at(-1)?.atMs ?? 0;
    const step = isPlainEvent(value) ? parsePlain(value, index, beforeMs, redactor) : parseStep(value, index, redactor);
    if ('problems' in step) {
      problems.push(...step.problems.map((problem) => ({ file, line, ...problem })));
      return;
    }
    if (step.happenedAt !== undefined) startAt ??= step.happenedAt - beforeMs;
    const atMs = step.happenedAt === undefined ? step.atMs : Math.max(beforeMs, step.happenedAt - (startAt ?? 0));
    steps.push({ atMs, event: step.event });
  });
  if (problems.length > 0) throw new CliError(problems.map(formatProblem).join('\n'));
  return steps;
}

type ParsedStep = (SimulatedStep & { happenedAt?: number }) | { problems: Problem[] };

function isPlainEvent(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !('atMs' in value) &&
    typeof (value as { event?: unknown }).event === 'string'
  );
}

function parsePlain(value: Record<string, unknown>, index: number, beforeMs: number, redactor: Redactor): ParsedStep {
  const parsed = parseEvent(value, { now: beforeMs, makeId: () => simulatedId(index) }, redactor);
  if (!parsed.ok) return { problems: parsed.problems };
  const { event } = parsed;
  return { atMs: beforeMs, event, ...(value['occurredAt'] !== undefined && { happenedAt: event.occurredAt }) };
}

function parseStep(value: unknown, index: number, redactor: Redactor): ParsedStep {
  const { atMs, event, ...others } = (typeof value === 'object' && value !== null ? value : {}) as Record<
    string,
    unknown
  >;
  const problems: Problem[] = Object.keys(others).map((key) => ({
    path: key,
    message: `unknown key "${key}" beside atMs and event`,
  }));
  if (typeof atMs !== 'number' || !Number.isInteger(atMs) || atMs < 0) {
    problems.push({ path: 'atMs', message: 'expected a whole number of milliseconds from 0' });
    return { problems };
  }
  const parsed = parseEvent(event, { now: atMs, makeId: () => simulatedId(index) }, redactor);
  if (!parsed.ok)
    problems.push(
      ...parsed.problems.map((problem) => ({ ...problem, path: ['event', problem.path].filter(Boolean).join('.') })),
    );
  return parsed.ok && problems.length === 0 ? { atMs, event: parsed.event } : { problems };
}

function simulatedId(index: number): string {
  return `simulated-${index + 1}`;
}
