import { setTimeout as wait } from 'node:timers/promises';

/** Waits, unless it is over before that. */
export async function pause(ms: number, over: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal: over }).catch(() => undefined);
}

/** Takes one step after the other with pauses between them, until it is over. The current step may still be under way then. */
export async function keepOn(over: AbortSignal, pauseMs: () => number, step: () => Promise<void>): Promise<void> {
  while (!over.aborted) {
    await step();
    await pause(pauseMs(), over);
  }
}

/** Things that go on side by side, so many at most. What comes beyond that is left out: whoever is slow must not pile up work. */
export function createCrowd(atMost: number) {
  const under = new Set<Promise<void>>();
  return {
    isFull: () => under.size >= atMost,
    add(work: Promise<void>): void {
      const tracked = work.finally(() => under.delete(tracked));
      under.add(tracked);
    },
    async done(): Promise<void> {
      while (under.size > 0) await Promise.all(under);
    },
  };
}
