import type { MeshEvent } from '#contract/event.js';
import { type FactName, factsOf } from '#contract/facts.js';
import { oneLine } from '#contract/text/plain-text.js';
import type { Redactor } from '#contract/text/redact/redact.js';

// How what an event says stands beside a label, in texts of the mesh.

export const MAX_FIELD_CHARS = 1_000;

/** Text of an event beside a label must not look like a label of its own. */
export function fieldReader(event: MeshEvent, redactor: Redactor | undefined) {
  const facts = factsOf(event);
  return (name: FactName): string | undefined => {
    const value = facts[name];
    return value === undefined ? undefined : oneLine(redactor?.text(value) ?? value, MAX_FIELD_CHARS);
  };
}

export function labelled(lines: [label: string, value: string | undefined][]): string[] {
  return lines.flatMap(([label, value]) => (value === undefined ? [] : [`${label}: ${value}`]));
}
