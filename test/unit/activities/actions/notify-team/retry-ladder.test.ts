import { expect, test } from 'vitest';
import { type FailedAttempt, nextTry } from '#activities/actions/notify-team/retry-ladder.js';

const S = 1_000;
const MIN = 60 * S;
const H = 60 * MIN;
const RETRY = { quickForMs: 5 * MIN, slowEveryMs: 5 * MIN, giveUpAfterMs: 24 * H };

/** How long to wait; nothing when there is no other attempt. */
function waitBeforeRetry(...asked: Parameters<typeof nextTry>): number | undefined {
  const next = nextTry(...asked);
  return 'waitMs' in next ? next.waitMs : undefined;
}

function whyNever(failed: FailedAttempt, giveUpAfterMs = RETRY.giveUpAfterMs): string | undefined {
  const next = nextTry(failed, { ...RETRY, giveUpAfterMs });
  return 'never' in next ? next.never : undefined;
}

test.each([
  ['the first', { attempt: 1, elapsedMs: 0 }, 1 * S],
  ['the second', { attempt: 2, elapsedMs: 1 * S }, 2 * S],
  ['the fifth', { attempt: 5, elapsedMs: 15 * S }, 16 * S],
  ['the sixth', { attempt: 6, elapsedMs: 31 * S }, 30 * S],
  ['a late quick one', { attempt: 14, elapsedMs: 5 * MIN - 1 }, 30 * S],
  ['the first slow one', { attempt: 15, elapsedMs: 5 * MIN }, 5 * MIN],
  ['one of so many that doubling them has no number', { attempt: 5_000, elapsedMs: 10 * S }, 30 * S],
  ['the last but one', { attempt: 300, elapsedMs: 24 * H - 5 * MIN }, 5 * MIN],
  ['one for which there is no time', { attempt: 301, elapsedMs: 24 * H - 5 * MIN + 1 }, undefined],
  ['one after all that time', { attempt: 302, elapsedMs: 25 * H }, undefined],
])('after %s attempt', (_, failed, waitMs) => {
  expect(waitBeforeRetry(failed, RETRY)).toBe(waitMs);
});

test.each([
  ['more than the step', 60 * S, 60 * S],
  ['less than the step', 0, 1 * S],
  ['more than there is time for', 25 * H, undefined],
])('a receiver that asks for %s', (_, askedMs, waitMs) => {
  expect(waitBeforeRetry({ attempt: 1, elapsedMs: 0, askedMs }, RETRY)).toBe(waitMs);
});

test.each([
  ['quick ones', { initialIntervalMs: 50, maxIntervalMs: 100 }, { attempt: 1, elapsedMs: 0 }, 50],
  ['quick ones up to a limit', { initialIntervalMs: 50, maxIntervalMs: 100 }, { attempt: 9, elapsedMs: 0 }, 100],
  ['slow ones', { initialIntervalMs: 90 * S, maxIntervalMs: 90 * S }, { attempt: 3, elapsedMs: 0 }, 90 * S],
  ['longer quick ones', { initialIntervalMs: 1 * S, maxIntervalMs: 120 * S }, { attempt: 9, elapsedMs: 0 }, 120 * S],
  ['no slow ones', { initialIntervalMs: 50, maxIntervalMs: 100 }, { attempt: 9, elapsedMs: 6 * MIN }, 5 * MIN],
])('a rule that asks for %s', (_, rule, failed, waitMs) => {
  expect(waitBeforeRetry(failed, RETRY, rule)).toBe(waitMs);
});

test.each([
  ['the first', 1, 5 * MIN],
  ['the second', 2, 30 * MIN],
  ['the third', 3, 3 * H],
  ['the fourth', 4, undefined],
])('after %s attempt that may have arrived', (_, perhapsArrived, waitMs) => {
  expect(waitBeforeRetry({ attempt: perhapsArrived, elapsedMs: 0, perhapsArrived }, RETRY)).toBe(waitMs);
});

test.each<[string, FailedAttempt, number | undefined, string]>([
  ['no time is left', { attempt: 9, elapsedMs: 24 * H }, undefined, 'gave up after 24 h'],
  [
    'the receiver asks for more than there is',
    { attempt: 1, elapsedMs: 0, askedMs: 30 * MIN },
    10 * MIN,
    'gave up after 0 ms, since the receiver asks for a wait of 30 min and notify.retry.giveUpAfterMs is 10 min',
  ],
  [
    'it may have arrived often enough',
    { attempt: 7, elapsedMs: 0, perhapsArrived: 4 },
    undefined,
    'gave up, so that nobody gets it again and again: 4 attempts may have arrived',
  ],
])('there is no other attempt when %s, and the reason says so', (_, failed, giveUpAfterMs, reason) => {
  expect(whyNever(failed, giveUpAfterMs)).toBe(reason);
});

test('quick steps are never slower than slow ones', () => {
  expect(waitBeforeRetry({ attempt: 9, elapsedMs: 0 }, { ...RETRY, slowEveryMs: 50 })).toBe(50);
});

test('all waits together cover a day, with few attempts', () => {
  let attempt = 0;
  for (let elapsedMs = 0; ;) {
    attempt += 1;
    const waitMs = waitBeforeRetry({ attempt, elapsedMs }, RETRY);
    if (waitMs === undefined) break;
    elapsedMs += waitMs;
    if (elapsedMs > 24 * H) throw new Error('tried after the end');
  }

  expect(attempt).toBeGreaterThan(290);
  expect(attempt).toBeLessThan(310);
});
