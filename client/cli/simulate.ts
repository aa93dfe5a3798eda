import type { Command } from 'commander';
import { formatProblem, type Problem } from '../../contract/problem.js';
import type { Verdict } from '../../contract/verdict.js';
import { parseRuleset } from '../../rules/parse-ruleset.js';
import { simulate, type SimulatedStep } from '../../rules/simulate.js';
import { parseEvent } from '../parse-event.js';
import { CliError } from './cli-error.js';
import { inputName, type JsonLine, parseJsonLines, readInput } from './read-input.js';

interface SimulateOptions {
  rules: string;
  events: string;
  json?: boolean;
}

export function addSimulateCommand(program: Command): void {
  program
    .command('simulate')
    .description('judge events against rules without a server: what would fire, and why the rest would not')
    .requiredOption('-r, --rules <file>', 'rule file')
    .requiredOption('-e, --events <file>', 'one {"atMs": 0, "event": {…}} per line; - for standard input')
    .option('--json', 'print one {"atMs", "verdicts"} per line')
    .action(runSimulation);
}

async function runSimulation(options: SimulateOptions): Promise<void> {
  const parsed = parseRuleset(await readInput(options.rules), inputName(options.rules));
  if (!parsed.ok) throw new CliError(parsed.problems.map(formatProblem).join('\n'));
  const eventsName = inputName(options.events);
  const steps = parseSteps(parseJsonLines(await readInput(options.events), eventsName), eventsName);
  const loaded = { ruleset: parsed.ruleset, hash: 'simulated', source: options.rules, problems: [] };
  const verdicts = simulate(loaded, steps);
  const lines = steps.map((step, index) => {
    const ofStep = verdicts[index] ?? [];
    return options.json ? JSON.stringify({ atMs: step.atMs, verdicts: ofStep }) : table(step, ofStep);
  });
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

function parseSteps(lines: JsonLine[], file: string): SimulatedStep[] {
  const steps: SimulatedStep[] = [];
  const problems: Problem[] = [];
  lines.forEach(({ line, value }, index) => {
    const step = parseStep(value, index);
    if ('step' in step) steps.push(step.step);
    else problems.push(...step.problems.map((problem) => ({ file, line, ...problem })));
  });
  if (problems.length > 0) throw new CliError(problems.map(formatProblem).join('\n'));
  return steps;
}

function parseStep(value: unknown, index: number): { step: SimulatedStep } | { problems: Problem[] } {
  const { atMs, event, ...others } = (value ?? {}) as Record<string, unknown>;
  const problems: Problem[] = Object.keys(others).map((key) => ({
    path: key,
    message: `unknown key "${key}" beside atMs and event`,
  }));
  if (typeof atMs !== 'number' || !Number.isInteger(atMs) || atMs < 0) {
    problems.push({ path: 'atMs', message: 'expected a whole number of milliseconds from 0' });
    return { problems };
  }
  const parsed = parseEvent(event, { now: atMs, makeId: () => `simulated-${index + 1}` });
  if (!parsed.ok)
    problems.push(
      ...parsed.problems.map((problem) => ({ ...problem, path: ['event', problem.path].filter(Boolean).join('.') })),
    );
  return parsed.ok && problems.length === 0 ? { step: { atMs, event: parsed.event } } : { problems };
}

function table({ atMs, event }: SimulatedStep, verdicts: Verdict[]): string {
  const head = `${formatTime(atMs)}  ${event.event} ${event.outcome}${event.depth > 0 ? ` depth ${event.depth}` : ''}`;
  const rows = verdicts.map((verdict) => {
    const what = verdict.rule === undefined ? 'whole event' : `${verdict.rule} / ${verdict.action}`;
    return { what, says: verdict.verdict === 'fire' ? 'FIRE' : `skip ${verdict.code}: ${verdict.reason}` };
  });
  const width = Math.max(...rows.map(({ what }) => what.length));
  return [head, ...rows.map(({ what, says }) => `    ${what.padEnd(width)}  ${says}`)].join('\n');
}

function formatTime(atMs: number): string {
  return `${(atMs / 1000).toFixed(3)} s`.padStart(12);
}
