import fc from 'fast-check';
import { describe, test } from 'vitest';
import { KILL_POINTS } from '../support/kills/kill-points.js';
import { proveKill } from '../support/kills/prove-kill.js';

// Every kill of test/e2e/kills.test.ts, 50 times or SOAK_REPEATS times, in an order that SOAK_SEED brings back.

const repeats = Number(process.env['SOAK_REPEATS'] ?? 50);
const seed = Number(process.env['SOAK_SEED'] ?? Date.now() % 2 ** 31);
const kills = KILL_POINTS.flatMap((point) =>
  Array.from({ length: repeats }, (_, index) => ({ point, number: index + 1 })),
);
const [shuffled = []] = fc.sample(fc.shuffledSubarray(kills, { minLength: kills.length }), { seed, numRuns: 1 });

describe(`kills in the order of SOAK_SEED=${seed}`, () => {
  for (const { point, number } of shuffled) {
    test.concurrent(`${point.name}, number ${number}`, { timeout: 240_000 }, (context) => proveKill(point, context));
  }
});
