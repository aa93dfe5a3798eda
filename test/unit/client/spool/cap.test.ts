import { appendFileSync, existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { dropOverCap, droppedFile, listDropped, SPOOL_LIMITS } from '#client/spool/cap.js';
import { listEntries, writeEntry } from '#client/spool/entries.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { entryOf, namesIn, noLog, numbered, spool } from './spooled.js';

const DAY_MS = 86_400_000;
/** Far in the future, since names of one process never go back in time. */
const START = 5_000_000_000_000;

test('the limits are 100 MB and 7 days', () => {
  expect(SPOOL_LIMITS).toEqual({ bytes: 104_857_600, ageMs: 7 * DAY_MS });
});

test('nothing is dropped from a spool within its limits', async () => {
  const folder = tempFolder();
  const names = await spool(folder, numbered(20));

  await dropOverCap(folder, noLog, Date.now());

  expect(namesIn(folder).sort()).toEqual(names);
  expect(existsSync(droppedFile(folder))).toBe(false);
});

test('what is older than the limit goes, loudly; what is exactly as old stays', async () => {
  const folder = tempFolder();
  const old = await writeEntry(folder, entryOf('old'), START);
  const justInTime = await writeEntry(folder, entryOf('just-in-time'), START + 1);
  const lines: string[] = [];

  await dropOverCap(folder, (line) => lines.push(line), START + 1 + 7 * DAY_MS);

  expect(namesIn(folder)).toEqual([justInTime]);
  expect(lines).toEqual([`DROPPED the oldest of ${folder}, 1 events of 52 bytes: older than 7 days`]);
  expect(await listDropped(folder)).toEqual([
    { at: new Date(START + 1 + 7 * DAY_MS).toISOString(), count: 1, bytes: 52, why: 'older than 7 days' },
  ]);
  expect(old).not.toBe(justInTime);
});

test('of too much, the oldest goes, and a little more than needed', async () => {
  const folder = tempFolder();
  const names = await spool(folder, numbered(100));
  const total = (await listEntries(folder)).reduce((sum, { bytes }) => sum + bytes, 0);
  const limits = { bytes: total - 1, ageMs: DAY_MS };
  const lines: string[] = [];

  await dropOverCap(folder, (line) => lines.push(line), Date.now(), limits);

  const left = namesIn(folder).sort();
  expect(left).toEqual(names.slice(-left.length));
  const bytesLeft = (await listEntries(folder)).reduce((sum, { bytes }) => sum + bytes, 0);
  expect(bytesLeft).toBeLessThanOrEqual(limits.bytes * 0.95);
  expect(bytesLeft).toBeGreaterThan(limits.bytes * 0.93);
  expect(lines).toEqual([
    expect.stringMatching(/^DROPPED the oldest of .*, [56] events of \d+ bytes: the folder held more than \d+ bytes$/),
  ]);
});

test('the newest goes too when it alone is too much', async () => {
  const folder = tempFolder();
  await spool(folder, ['e-1']);

  await dropOverCap(folder, noLog, Date.now(), { bytes: 10, ageMs: DAY_MS });

  expect(namesIn(folder)).toEqual([]);
});

test('what went because it was too old does not count as too much', async () => {
  const folder = tempFolder();
  await writeEntry(folder, entryOf('old'), START + 10);
  const name = await writeEntry(folder, entryOf('new'), START + 2 * DAY_MS);

  await dropOverCap(folder, noLog, START + 2 * DAY_MS, { bytes: 60, ageMs: DAY_MS });

  expect(namesIn(folder)).toEqual([name]);
});

test('two that tidy at once count each event once', async () => {
  const folder = tempFolder();
  for (const id of numbered(50)) await writeEntry(folder, entryOf(id), START + 30);

  await Promise.all([dropOverCap(folder, noLog, START + 9 * DAY_MS), dropOverCap(folder, noLog, START + 9 * DAY_MS)]);

  expect((await listDropped(folder)).reduce((sum, { count }) => sum + count, 0)).toBe(50);
});

test('a line that a full disk cut off does not hide the others', async () => {
  const folder = tempFolder();
  const line = (count: number) => JSON.stringify({ at: '2026-01-01T00:00:00.000Z', count, bytes: 10, why: 'w' });
  appendFileSync(droppedFile(folder), `${line(2)}\n{"at":"2026\n${line(3)}\n`);

  expect((await listDropped(folder)).map(({ count }) => count)).toEqual([2, 3]);
});
