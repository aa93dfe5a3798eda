import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.js';
import { startInboxWriter } from '#test/support/inbox-processes.js';
import { tempFolder } from '#test/support/temp-folder.js';

const path = ['ops', 'inboxes', 'ada.json'];
let folder: string;
let file: string;

beforeEach(() => {
  folder = tempFolder();
  file = join(folder, ...path);
});

function ids(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, index) => `key-${from + index}`);
}

function idsInFile(): string[] {
  const entries = JSON.parse(readFileSync(file, 'utf8')) as { id: string }[];
  return entries.map(({ id }) => id);
}

test('several processes that write one inbox at once lose nothing and double nothing', async () => {
  // Some messages are written by two, as when an attempt is made again while the first one still goes on.
  const writers = await Promise.all([
    startInboxWriter({ as: 'mesh', folder, path, ids: [...ids(0, 40), ...ids(20, 40)] }),
    startInboxWriter({ as: 'mesh', folder, path, ids: [...ids(20, 60), ...ids(20, 60)] }),
    startInboxWriter({ as: 'agents', folder, path, ids: ids(100, 140) }),
  ]);
  for (const { begin } of writers) begin();

  expect(await Promise.all(writers.map(({ ended }) => ended))).toEqual([0, 0, 0]);
  expect(idsInFile().sort()).toEqual([...ids(0, 60), ...ids(100, 140)].sort());
  expect(readdirSync(dirname(file))).toEqual(['ada.json']);
});

test('whoever reads meanwhile, without a lock, never sees half a file', async () => {
  const writer = await startInboxWriter({ as: 'mesh', folder, path, ids: ids(0, 100) });
  let isOver = false;
  void writer.ended.then(() => (isOver = true));
  writer.begin();

  let seen = 0;
  while (!isOver) {
    const count = existsSync(file) ? idsInFile().length : 0;
    expect(count).toBeGreaterThanOrEqual(seen);
    seen = count;
    await nextTurn();
  }
  expect(idsInFile()).toHaveLength(100);
});

test('a process that is killed while it writes leaves a whole inbox, and its successor writes the rest', async () => {
  const everything = ids(0, 120);
  for (const atLeast of [10, 50]) {
    const killed = await startInboxWriter({ as: 'mesh', folder, path, ids: everything });
    killed.begin();
    await eventually('entries', () => (existsSync(file) && idsInFile().length >= atLeast) || undefined);
    await killed.kill();

    const left = idsInFile();
    expect(left).toEqual(everything.slice(0, left.length));
    // As if ten seconds had gone by.
    if (existsSync(`${file}.lock`)) utimesSync(`${file}.lock`, new Date(0), new Date(0));
  }
  const successor = await startInboxWriter({ as: 'mesh', folder, path, ids: everything });
  successor.begin();

  expect(await successor.ended).toBe(0);
  expect(idsInFile()).toEqual(everything);
  expect(readdirSync(dirname(file))).toEqual(['ada.json']);
});
