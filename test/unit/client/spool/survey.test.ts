import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dropOverCap, droppedFile } from '#client/spool/cap.js';
import { refuseEntry } from '#client/spool/refuse.js';
import { surveySpool } from '#client/spool/survey.js';
import { writeEntry } from '#client/spool/write-entry.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { entryOf, noLog, spool } from './spooled.js';

test('tells what waits, what was refused and what was dropped', async () => {
  const folder = tempFolder();
  await writeEntry(folder, entryOf('old'), 5_000_000_000_000);
  await dropOverCap(folder, noLog, 5_000_000_000_000 + 8 * 86_400_000);
  const oldest = await writeEntry(folder, entryOf('e-1'), 1_700_000_000_000.5);
  await spool(folder, ['e-2']);
  await refuseEntry(folder, entryOf('e-3'), 'e-3: depth: wrong', noLog);

  const survey = await surveySpool(folder);

  expect(oldest).toMatch(/^1700000000000500-/);
  expect(survey).toEqual({
    folder,
    waiting: { count: 2, bytes: 104, oldestAt: 1_700_000_000_000 },
    refused: [
      { file: expect.stringContaining(join(folder, 'refused')), at: expect.any(Number), reason: 'e-3: depth: wrong' },
    ],
    dropped: {
      count: 1,
      bytes: 52,
      last: { at: new Date(5_000_691_200_000).toISOString(), count: 1, bytes: 52, why: 'older than 7 days' },
    },
  });
});

test('a spool that is not there is an empty one', async () => {
  const folder = join(tempFolder(), 'spool');

  expect(await surveySpool(folder)).toEqual({
    folder,
    waiting: { count: 0, bytes: 0 },
    refused: [],
    dropped: { count: 0, bytes: 0 },
  });
});

test('a line that a full disk cut off does not hide the others', async () => {
  const folder = tempFolder();
  const line = (count: number) => JSON.stringify({ at: '2026-01-01T00:00:00.000Z', count, bytes: 10, why: 'w' });
  appendFileSync(droppedFile(folder), `${line(2)}\n{"at":"2026\n${line(3)}\n`);

  expect((await surveySpool(folder)).dropped).toMatchObject({ count: 5, bytes: 20 });
});
