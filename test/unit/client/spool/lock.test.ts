import { spawn } from 'node:child_process';
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LOCK_STALE_MS, takeLock } from '#client/spool/lock.js';
import { tempFolder } from '../../../support/temp-folder.js';

test('one has it at a time', async () => {
  const folder = tempFolder();
  const first = await takeLock(folder);
  expect(first).toBeDefined();
  expect(await takeLock(folder)).toBeUndefined();

  await first?.release();

  expect(readdirSync(folder)).toEqual([]);
  expect(await takeLock(folder)).toBeDefined();
});

test('of many that ask at once, one gets it', async () => {
  const folder = tempFolder();

  const taken = await Promise.all(Array.from({ length: 50 }, () => takeLock(folder)));

  expect(taken.filter((lock) => lock !== undefined)).toHaveLength(1);
});

test('of many that take over a dead owner, at most one gets it, and nothing is left lying', async () => {
  const folder = tempFolder();
  writeLock(folder, { pid: await deadPid(), host: hostname(), turn: 'x' });

  const taken = await Promise.all(Array.from({ length: 50 }, () => takeLock(folder)));

  expect(taken.filter((lock) => lock !== undefined)).toHaveLength(1);
  expect(readdirSync(folder)).toEqual(['drain.lock']);
});

test.each<[string, { pid: number | 'dead'; host: string } | undefined, number, boolean]>([
  ['an owner that has ended', { pid: 'dead', host: hostname() }, 0, true],
  ['a living owner', { pid: process.ppid, host: hostname() }, 0, false],
  ['a living owner that stopped saying so', { pid: process.ppid, host: hostname() }, 301_000, true],
  ['an owner on another machine', { pid: 'dead', host: 'elsewhere' }, 0, false],
  ['an owner elsewhere that stopped saying so', { pid: 1, host: 'elsewhere' }, 301_000, true],
  // As after a restart of a container, where the worker is process 1 every time.
  ['one that had the same number as this process', { pid: process.pid, host: hostname() }, 0, true],
  ['one that has not written its name yet', undefined, 0, false],
  ['one that never wrote its name', undefined, 6_000, true],
])('a lock of %s', async (_who, owner, ageMs, isTaken) => {
  const folder = tempFolder();
  const pid = owner?.pid === 'dead' ? await deadPid() : owner?.pid;
  writeLock(folder, owner && { ...owner, pid, turn: 'x' }, ageMs);

  const lock = await takeLock(folder);

  expect(lock !== undefined).toBe(isTaken);
});

test('whoever works on says so, and is not taken for gone', async () => {
  const folder = tempFolder();
  const lock = await takeLock(folder);
  const longAgo = new Date(Date.now() - LOCK_STALE_MS - 1_000);
  utimesSync(join(folder, 'drain.lock'), longAgo, longAgo);

  await lock?.touch();

  expect(await takeLock(folder)).toBeUndefined();
});

test('whoever comes back late does not release the lock of its successor', async () => {
  const folder = tempFolder();
  const late = await takeLock(folder);
  const longAgo = new Date(Date.now() - LOCK_STALE_MS - 1_000);
  utimesSync(join(folder, 'drain.lock'), longAgo, longAgo);
  const successor = await takeLock(folder);
  expect(successor).toBeDefined();
  expect(await successor?.touch()).toBe(true);
  expect(await late?.touch()).toBe(false);

  await late?.release();

  expect(existsSync(join(folder, 'drain.lock'))).toBe(true);
  expect(await takeLock(folder)).toBeUndefined();
});

function writeLock(folder: string, owner: object | undefined, ageMs = 0): void {
  const path = join(folder, 'drain.lock');
  writeFileSync(path, owner === undefined ? '' : JSON.stringify(owner));
  const at = new Date(Date.now() - ageMs);
  utimesSync(path, at, at);
}

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '0']);
  await new Promise((resolve) => child.once('close', resolve));
  return child.pid ?? 0;
}
