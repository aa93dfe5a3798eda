import { expect, inject, test } from 'vitest';
import { calm } from './calm.js';
import { mixed } from './mixed.js';
import { runTorture } from './run-torture.js';
import type { Scenario } from './scenario.js';

// Half a minute of each kind. `npm run test:torture` lasts as long as one likes.

const LASTS_MS = 30_000;
/** With all that comes before and after it, on a machine that is busy. */
const LIMIT_MS = 600_000;
/** What is chosen is the same each time; when it happens is not. */
const SEED = Number(process.env['TORTURE_SEED'] ?? 7);

async function prove(scenario: Scenario): Promise<void> {
  const say = (line: string) => console.log(line);
  const temporalBinary = inject('temporalBinary');
  const { violations, text } = await runTorture({ scenario, seed: SEED, lastsMs: LASTS_MS, temporalBinary, say });
  expect(violations.length, text).toBe(0);
}

test(
  `steady events, people who look, a worker that dies every few seconds (TORTURE_SEED=${SEED})`,
  { timeout: LIMIT_MS },
  () => prove(calm(6_000)),
);

test(`every door, every fault, people who change things (TORTURE_SEED=${SEED})`, { timeout: LIMIT_MS }, () =>
  prove(mixed(SEED)),
);
