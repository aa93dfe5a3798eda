import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { STALE_MS, takeLock } from '#adapters/files/lock.js';
import { tempFolder } from '#test/support/temp-folder.js';

test('one has it at a time', async () => {
  const { folder, path } = place();
  const first = await takeLock(path);
  expect(first).toBeDefined();
  expect(await takeLock(path)).toBeUndefined();

  first?.release();

  expect(readdirSync(folder)).toEqual([]);
  expect(await takeLock(path)).toBeDefined();
});

test('of many that ask at once, one gets it', async () => {
  const { path } = place();

  const taken = await Promise.all(Array.from({ length: 50 }, () => takeLock(path)));

  expect(taken.filter((lock) => lock !== undefined)).toHaveLength(1);
});

test('of many that take over a forgotten one, one gets it, and nothing is left lying', async () => {
  const { folder, path } = place();
  leave(path, STALE_MS + 1_000);

  const taken = await Promise.all(Array.from({ length: 50 }, () => takeLock(path)));

  expect(taken.filter((lock) => lock !== undefined)).toHaveLength(1);
  expect(readdirSync(folder)).toEqual(['a.lock']);
});

test('one that is not yet forgotten is not taken over', async () => {
  const { path } = place();
  leave(path, STALE_MS - 5_000);

  expect(await takeLock(path)).toBeUndefined();
});

test('who waits gets it when it is released', async () => {
  const { path } = place();
  const first = await takeLock(path);

  const second = takeLock(path, { waitMs: 20_000 });
  first?.release();

  expect(await second).toBeDefined();
});

test('whoever is at work touches it', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { path } = place();
  const lock = await takeLock(path);
  const takenAt = statSync(path).mtimeMs;

  vi.advanceTimersByTime(60_000);

  expect(statSync(path).mtimeMs - takenAt).toBeGreaterThan(55_000);
  expect(lock?.isOurs()).toBe(true);
  expect(await takeLock(path)).toBeUndefined();
});

test('whoever comes back late does not release the lock of its successor', async () => {
  const { path } = place();
  const late = await takeLock(path);
  age(path, STALE_MS + 1_000);
  const successor = await takeLock(path);
  expect(successor?.isOurs()).toBe(true);
  expect(late?.isOurs()).toBe(false);

  late?.release();

  expect(existsSync(path)).toBe(true);
  expect(await takeLock(path)).toBeUndefined();
});

test('a file in its place is left alone', async () => {
  const { path } = place();
  writeFileSync(path, '');
  age(path, STALE_MS + 1_000);

  await expect(takeLock(path)).rejects.toThrow('is not a lock');

  expect(statSync(path).isFile()).toBe(true);
});

function place(): { folder: string; path: string } {
  const folder = tempFolder();
  return { folder, path: join(folder, 'a.lock') };
}

/** As somebody leaves it who was killed. */
function leave(path: string, ageMs: number): void {
  mkdirSync(path);
  age(path, ageMs);
}

function age(path: string, ageMs: number): void {
  const at = new Date(Date.now() - ageMs);
  utimesSync(path, at, at);
}
