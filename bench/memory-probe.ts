// Loaded into a measured process before anything else, and so into each of its threads: a thread alone can say how large its
// own heap is. It writes that to a file whenever it is asked to, by a file again: signals reach only the main thread.

import { existsSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { isMainThread, threadId } from 'node:worker_threads';

export interface HeapFigures {
  thread: 'main' | 'workflows';
  usedBytes: number;
  totalBytes: number;
  /** Buffers: payloads among them. */
  externalBytes: number;
}

/** In this folder are the questions and the answers. */
export const PROBE_FOLDER = 'BENCH_PROBE_FOLDER';

const LOOK_EVERY_MS = 200;
const folder = process.env[PROBE_FOLDER];
const answered = new Set<string>();

if (folder !== undefined) {
  setInterval(() => {
    answer('asis', () => undefined);
    answer('retained', collectGarbage);
  }, LOOK_EVERY_MS).unref();
}

function answer(question: string, prepare: () => void): void {
  if (folder === undefined || answered.has(question) || !existsSync(join(folder, question))) return;
  answered.add(question);
  prepare();
  const { heapUsed, heapTotal, external } = process.memoryUsage();
  const figures: HeapFigures = {
    thread: isMainThread ? 'main' : 'workflows',
    usedBytes: heapUsed,
    totalBytes: heapTotal,
    externalBytes: external,
  };
  writeFileSync(join(folder, `${question}-${threadId}.json`), JSON.stringify(figures));
}

/** Twice: the first round lets go of what only waited for its finalizers. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
}
