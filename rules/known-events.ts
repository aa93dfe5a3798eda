import { CANONICAL, plainName } from '#contract/facts.js';
import { DIALECTS } from './dialects/index.js';

/**
 * Whether a runtime is known to send it: `check` asks about other names, which are allowed, since runtimes grow. Of the ends of
 * runs any spelling is known, of the others the one below, since a trigger matches no other.
 */
export function isKnownEvent(event: string): boolean {
  if (KNOWN_EVENTS.includes(event)) return true;
  return ENDS.has(plainName(event)) && !PLAIN_NAMES.has(plainName(event));
}

/** Event names that agent runtimes are known to send. */
export const KNOWN_EVENTS: readonly string[] = Object.values(DIALECTS).flatMap(({ events }) => events);

const PLAIN_NAMES = new Set(KNOWN_EVENTS.map(plainName));
const ENDS = new Set(CANONICAL.ends.map(plainName));
