import { expect, test } from 'vitest';
import { endOfLease } from '#activities/actions/warm-remote-capacity/warm.js';

test.each([
  [0, 11_000],
  [4_999, 11_000],
  [5_000, 16_000],
  [9_999, 16_000],
  [10_000, 21_000],
])('a lease of 10 s that is asked for again after %d ms ends at %d', (afterMs, endsAt) => {
  expect(endOfLease(1_000, 10_000, 1_000 + afterMs)).toBe(endsAt);
});
