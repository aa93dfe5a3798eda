import type { Sources } from './make-sources.js';

const LOOK_EVERY_MS = 1_000;

/** Looks at the files again and again: a broken edit is told when it is saved, not with the next event, and so is its mending. */
export function followFiles({ rulesets, config }: Sources): { stop(): void } {
  // What is wrong is told by the sources themselves; a look that takes long is shared with the next.
  const look = () => Promise.allSettled([rulesets.lookAgain(), config.get()]);
  const looking = setInterval(() => void look(), LOOK_EVERY_MS).unref();
  return { stop: () => clearInterval(looking) };
}
