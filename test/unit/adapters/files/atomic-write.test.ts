import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeAtomically } from '#adapters/files/atomic-write.js';
import { tempFolder } from '#test/support/temp-folder.js';

test('makes the folder and the file, for its user only, and leaves nothing else there', async () => {
  const folder = join(tempFolder(), 'a', 'b');

  await writeAtomically(join(folder, 'file'), 'text');

  expect(readdirSync(folder)).toEqual(['file']);
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('text');
  expect(statSync(join(folder, 'file')).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('puts it in the place of another, with the rights that one had', async () => {
  const file = join(tempFolder(), 'file');
  writeFileSync(file, 'old');
  chmodSync(file, 0o640);

  await writeAtomically(file, 'new', { like: statSync(file) });

  expect(readFileSync(file, 'utf8')).toBe('new');
  expect(statSync(file).mode & 0o777).toBe(0o640);
});

test('where the check says no, everything stays as it was', async () => {
  const folder = tempFolder();
  const file = join(folder, 'file');
  writeFileSync(file, 'old');
  const checked: string[] = [];
  const check = (part: string) => {
    checked.push(readFileSync(part, 'utf8'));
    throw new Error('not now');
  };

  await expect(writeAtomically(file, 'new', { check })).rejects.toThrow('not now');

  expect(checked).toEqual(['new']);
  expect(readdirSync(folder)).toEqual(['file']);
  expect(readFileSync(file, 'utf8')).toBe('old');
});

test('of many that make a new file, one does, and the others hear of it', async () => {
  const folder = tempFolder();
  const file = join(folder, 'file');

  const texts = Array.from({ length: 20 }, (_, index) => `text ${index}`);
  const made = await Promise.allSettled(texts.map((text) => writeAtomically(file, text, { isNew: true })));

  const winner = made.findIndex(({ status }) => status === 'fulfilled');
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(
    made.filter((end) => end.status === 'rejected' && (end.reason as { code: string }).code === 'EEXIST'),
  ).toHaveLength(19);
  expect(readFileSync(file, 'utf8')).toBe(texts[winner]);
  expect(readdirSync(folder)).toEqual(['file']);
});

test('what a change left that was killed is gone when the same change is tried again', async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, '.file.change-1.part'), 'half');

  await writeAtomically(join(folder, 'file'), 'whole', { change: 'change-1' });

  expect(readdirSync(folder)).toEqual(['file']);
});
