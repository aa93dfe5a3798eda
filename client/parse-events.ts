import type { MeshEvent } from '#contract/event.js';
import type { Problem } from '#contract/text/problem.js';
import type { Redactor } from '#contract/text/redact/redact.js';
import type { EventDefaults } from './event-input.js';
import { parseEvent } from './parse-event.js';

export type ParsedEvents = { ok: true; events: MeshEvent[] } | { ok: false; problems: Problem[] };

/** Checks one event or an array of them. All or nothing: one that is wrong refuses the others with it. */
export function parseEvents(given: unknown, defaults: EventDefaults, redactor: Redactor): ParsedEvents {
  const inputs: readonly unknown[] = Array.isArray(given) ? given : [given];
  const events: MeshEvent[] = [];
  const problems: Problem[] = [];
  inputs.forEach((input, index) => {
    const parsed = parseEvent(input, defaults, redactor);
    if (parsed.ok) events.push(parsed.event);
    // One by one: as arguments of one call, very many would be too many.
    else for (const problem of parsed.problems) problems.push(Array.isArray(given) ? inArray(problem, index) : problem);
  });
  return problems.length > 0 ? { ok: false, problems } : { ok: true, events };
}

function inArray(problem: Problem, index: number): Problem {
  return { ...problem, path: problem.path === '' ? `[${index}]` : `[${index}].${problem.path}`.replace('].[', '][') };
}
