import { formatProblem } from '#contract/text/problem.js';
import type { Redactor } from '#contract/text/redact/redact.js';
import type { HookFields } from '#rules/dialects/dialect.js';
import { preparePayload } from '../../prepare-payload.js';

type Payload = Record<string, unknown>;

/** The payload as the mesh takes it, without secrets. Rather an event without its largest parts than no event. */
export function fitPayload(
  payload: Payload,
  fields: HookFields,
  redactor: Redactor,
  log: (line: string) => void,
): { payload: Payload; truncated?: true } {
  let why: string | undefined;
  for (const attempt of attemptsFor(fields)) {
    const prepared = preparePayload(attempt(payload), redactor);
    if (prepared.ok) {
      if (why !== undefined) log(`parts of the payload were left out: ${why}`);
      return { payload: prepared.payload, ...((prepared.truncated || why !== undefined) && { truncated: true }) };
    }
    why ??= prepared.problems.map(formatProblem).join('; ');
  }
  return { payload: {}, truncated: true };
}

/** What is tried in turn: first the payload as it is, then without the parts that can be of any size and shape. */
function attemptsFor({ large, telling }: HookFields): ((payload: Payload) => Payload)[] {
  return [
    (payload) => payload,
    ...large.map((_, last) => (payload: Payload) => without(payload, large.slice(0, last + 1).flat())),
    (payload) =>
      Object.fromEntries(
        Object.entries(payload).filter(([key, value]) => typeof value !== 'object' && telling.includes(key)),
      ),
    () => ({}),
  ];
}

function without(payload: Payload, keys: string[]): Payload {
  return Object.fromEntries(
    Object.entries(payload).map(([key, value]) => [key, keys.includes(key) ? '[left out: too large]' : value]),
  );
}
