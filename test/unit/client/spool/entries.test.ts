import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listEntries, readName, writeEntry } from '#client/spool/entries.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { entryOf, numbered } from './spooled.js';

describe('writeEntry', () => {
  test('keeps the entry in a folder that only its owner can read, and leaves nothing else there', async () => {
    const folder = join(tempFolder(), 'home', 'spool');

    const name = await writeEntry(folder, entryOf('e-1', { tokenHash: 'abc' }));

    expect(readdirSync(folder)).toEqual([name]);
    expect(JSON.parse(readFileSync(join(folder, name), 'utf8'))).toEqual({
      v: 1,
      event: { event: 'TaskCompleted', id: 'e-1' },
      tokenHash: 'abc',
    });
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test('names it by time and size', async () => {
    const folder = tempFolder();
    const name = await writeEntry(folder, entryOf('e-1'), 4_000_000_000_000.25);

    expect(name).toMatch(/^4000000000000250-/);
    expect(readName(name)).toEqual({ name, atMs: 4_000_000_000_000.25, bytes: statSync(join(folder, name)).size });
  });

  test('keeps the order in which one process wrote', async () => {
    const folder = tempFolder();

    const names: string[] = [];
    for (const id of numbered(300)) names.push(await writeEntry(folder, entryOf(id)));

    expect((await listEntries(folder)).map(({ name }) => name)).toEqual(names);
  });

  test('says so when it cannot write', async () => {
    await expect(writeEntry('/proc/nowhere', entryOf('e-1'))).rejects.toThrow(/ENOENT|EACCES|EROFS|EPERM/);
  });
});

describe('listEntries', () => {
  test('takes a folder that is not there for an empty one', async () => {
    expect(await listEntries(join(tempFolder(), 'nowhere'))).toEqual([]);
  });
});
