import { formatProblem, type Problem } from '#contract/text/problem.js';
import type { SimulatedStep } from '#rules/simulate.js';
import type { Redactor } from '#contract/text/redact/redact.js';
import { parseEvent } from '../parse-event.js';
import { CliError } from './cli-error.js';
import type { JsonLine } from './read-input.js';

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
