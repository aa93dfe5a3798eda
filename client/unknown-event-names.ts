import { didYouMean } from '#contract/text/nearest.js';
import { isKnownEvent, KNOWN_EVENTS } from '#rules/known-events.js';

/** A slip in a name is the most common reason why no rule looks at an event. */
export function unknownEventNames(names: readonly string[]): string[] {
  // To look for what each may have been takes long, and nobody reads them all.
  const unknown = [...new Set(names)].filter((name) => !isKnownEvent(name)).slice(0, MAX_WARNINGS);
  return unknown.map((name) => {
    const hint = didYouMean(name, KNOWN_EVENTS, 'fine if a runtime of yours sends it');
    return `no runtime known to the mesh sends "${name}" (${hint})`;
  });
}

const MAX_WARNINGS = 10;
