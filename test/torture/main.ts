import { parseArgs } from 'node:util';
import { findTemporal } from '#worker/dev/temporal-binary.js';
import { calm } from './calm.js';
import { mixed } from './mixed.js';
import { runTorture } from './run-torture.js';

// `npm run test:torture -- --minutes 3 --seed 7 [--calm] [--faults 'worker|ambush']`

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    calm: { type: 'boolean', default: false },
    faults: { type: 'string', default: '.' },
  },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
if (!(minutes > 0) || !Number.isInteger(seed)) throw new Error('expected --minutes <number> --seed <whole number>');
const KILL_EVERY_MS = 30_000;
const say = (line: string) => process.stderr.write(`${line}\n`);
say(`Seed ${seed}.`);

const { text, violations } = await runTorture({
  scenario: values.calm ? calm(KILL_EVERY_MS) : mixed(seed, new RegExp(values.faults)),
  seed,
  lastsMs: minutes * 60_000,
  temporalBinary: await findTemporal({ env: process.env, say }),
  say,
});
console.log(text);
// The SDK's native part would keep the process alive.
process.exit(violations.length > 0 ? 1 : 0);
