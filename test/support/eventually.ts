import { setTimeout as wait } from 'node:timers/promises';

/** On a machine that is busy three times over, a chain of three processes takes ten times what it takes alone: three seconds. */
const LONG_MS = 60_000;

/** Asks until there is an answer, and fails with what was asked for when there is none in time. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
  withinMs = LONG_MS,
): Promise<T> {
  const begunAt = Date.now();
  let lastError: unknown;
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs = Date.now() - begunAt) {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    await wait(pauseMs(waitedMs));
  }
  throw new Error(`no ${what} within ${withinMs} ms`, { cause: lastError });
}

/** What takes long may be noticed a little later: asking is work too, for the server most of all. */
function pauseMs(waitedMs: number): number {
  return Math.min(250, Math.max(50, waitedMs / 10));
}
