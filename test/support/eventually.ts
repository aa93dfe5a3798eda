import { setTimeout as wait } from 'node:timers/promises';

/** Asks until there is an answer, and fails with what was asked for when there is none in time. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
  withinMs = 20_000,
): Promise<T> {
  const giveUpAt = Date.now() + withinMs;
  let lastError: unknown;
  while (Date.now() < giveUpAt) {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
    } catch (error) {
      lastError = error;
    }
    await wait(50);
  }
  throw new Error(`no ${what} within ${withinMs} ms`, { cause: lastError });
}
