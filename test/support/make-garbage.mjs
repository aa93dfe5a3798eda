// Makes garbage of the age that events have: it outlives a moment, and not the second. First as the process, then as a thread of
// it, and prints how large the heap of each has been, in MiB.

import { getHeapStatistics } from 'node:v8';
import { isMainThread, Worker } from 'node:worker_threads';
import { keepHeapsSmall } from '../../dist/worker/keep-heaps-small.js';

const MADE = 4_000_000;
const ALIVE_AT_ONCE = 100_000;

if (isMainThread && process.argv.includes('small')) keepHeapsSmall();
const kept = Array.from({ length: 200_000 }, (_, index) => ({ index, text: String(index) }));
const passing = [];
let peakBytes = 0;
for (let made = 0; made < MADE; made++) {
  passing[made % ALIVE_AT_ONCE] = { made, text: String(made), list: [made] };
  if (made % 5_000 === 0) peakBytes = Math.max(peakBytes, getHeapStatistics().total_heap_size);
}
const peakMebibytes = Math.round(peakBytes / 1_048_576);
process.stdout.write(`${isMainThread ? 'main' : 'thread'} ${peakMebibytes} ${kept.length}\n`);
if (isMainThread) new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) });
