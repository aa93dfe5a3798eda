import { setTimeout as wait } from 'node:timers/promises';

/** Waits for the end of something, but no longer than so long. `done` must not reject. */
export async function within(ms: number, done: Promise<unknown>): Promise<void> {
  const inTime = new AbortController();
  await Promise.race([done, wait(ms, undefined, { signal: inTime.signal }).catch(() => undefined)]);
  inTime.abort();
}
