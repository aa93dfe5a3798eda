import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLineageKey } from '#worker/make-world.js';
import { tempFolder } from '../../support/temp-folder.js';

test('without a key in the settings one is made, once, for its owner only', async () => {
  const home = join(tempFolder(), 'new', 'home');

  const made = await readLineageKey({ lineageKey: undefined, home });
  const again = await readLineageKey({ lineageKey: undefined, home });

  expect(made).toMatch(/^[0-9a-f]{64}$/);
  expect(again).toBe(made);
  expect(readFileSync(join(home, 'lineage.key'), 'utf8').trim()).toBe(made);
  expect(statSync(join(home, 'lineage.key')).mode & 0o777).toBe(0o600);
  expect(readdirSync(home)).toEqual(['lineage.key']);
});

test('the settings go before the file, and nothing is made', async () => {
  const home = tempFolder();

  expect(await readLineageKey({ lineageKey: 'k'.repeat(32), home })).toBe('k'.repeat(32));

  expect(readdirSync(home)).toEqual([]);
});

test.each(['', 'short\n'])('a file that holds no key, %j, is no reason to sign with nothing', async (content) => {
  const home = tempFolder();
  writeFileSync(join(home, 'lineage.key'), content);

  await expect(readLineageKey({ lineageKey: undefined, home })).rejects.toThrow(
    'holds no key of at least 32 characters',
  );
});

test('a state folder that cannot be is explained, with the way out', async () => {
  const home = join(tempFolder(), 'file', 'home');
  writeFileSync(join(home, '..'), '');

  await expect(readLineageKey({ lineageKey: undefined, home })).rejects.toThrow(
    /lineage\.key cannot be read or made: .*\nMend that, or set MESH_LINEAGE_KEY\.$/,
  );
});
