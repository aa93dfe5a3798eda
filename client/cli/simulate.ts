import type { Command } from 'commander';
import type { MeshEvent } from '#contract/event.js';
import { visible } from '#contract/text/plain-text.js';
import { formatProblem } from '#contract/text/problem.js';
import type { Ruleset } from '#contract/ruleset.js';
import { readSettings } from '#contract/settings.js';
import type { Verdict } from '#contract/verdict.js';
import type { MissedRule } from '#contract/views/verdicts.js';
import { matchEvent } from '#rules/match.js';
import { parseRuleset } from '#rules/parse-ruleset.js';
import { createRedactor } from '#contract/text/redact/redact.js';
import { simulate, type SimulatedStep } from '#rules/simulate.js';
import { CliError } from './cli-error.js';
import { inputName, parseJsonLines, readInput } from './read-input.js';
import { parseSteps } from './simulated-steps.js';

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
