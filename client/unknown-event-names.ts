import { didYouMean } from '#contract/text/nearest.js';
import { isKnownEvent, KNOWN_EVENTS } from '#rules/known-events.js';

/** A slip in a name is the most common reason why no rule looks at an event. */
export function unknownEventNames(names: readonly string[]): string[] {
  return [...new Set(names)].flatMap((name) => {
    if (isKnownEvent(name)) return [];
    const hint = didYouMean(name, KNOWN_EVENTS, 'fine if a runtime of yours sends it');
    return [`no runtime known to the mesh sends "${name}" (${hint})`];
  });
}
