import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Current, type Parsed, ReadThroughFile } from '#config/read-through.js';
import { tempFolder } from '../../support/temp-folder.js';

// Files younger than two seconds are read each time; `now` below says how old a file is taken to be.
const LATER_MS = 60_000;

describe('ReadThroughFile', () => {
  test('gives what the file says, with a hash of it', async () => {
    const { file, readThrough } = setUp();
    writeFileSync(file, 'good 1');

    const current = await readThrough.get();

    expect(current).toEqual({
      available: true,
      value: 'good 1',
      hash: expect.stringMatching(/^[0-9a-f]{12}$/) as string,
      problems: [],
    });
  });

  test('reads and parses an unchanged file once', async () => {
    const { file, readThrough, parsed } = setUp({ ageMs: LATER_MS });
    writeFileSync(file, 'good 1');

    await readThrough.get();
    await readThrough.get();

    expect(parsed).toEqual(['good 1']);
  });

  test('does not parse the same content again, even when the file was touched', async () => {
    const { file, readThrough, parsed } = setUp({ ageMs: LATER_MS });
    writeFileSync(file, 'good 1');
    await readThrough.get();

    writeFileSync(file, 'good 1');
    utimesSync(file, 1, 1);
    await readThrough.get();

    expect(parsed).toEqual(['good 1']);
  });

  test('picks an edit up at once', async () => {
    const { file, readThrough } = setUp();
    writeFileSync(file, 'good 1');
    await readThrough.get();

    writeFileSync(file, 'good 2');

    expect(await readThrough.get()).toMatchObject({ available: true, value: 'good 2' });
  });

  test('picks up an edit of the same size whose modification time was set back', async () => {
    const { file, readThrough } = setUp();
    writeFileSync(file, 'good 1');
    utimesSync(file, 1_000, 1_000);
    await readThrough.get();

    writeFileSync(file, 'good 2');
    utimesSync(file, 1_000, 1_000);

    expect(await readThrough.get()).toMatchObject({ value: 'good 2' });
  });

  test('picks up such an edit of a file that was left alone for long, by its change time', async () => {
    const { file, readThrough } = setUp({ ageMs: LATER_MS });
    writeFileSync(file, 'good 1');
    utimesSync(file, 1_000, 1_000);
    await readThrough.get();

    await changeTimeMovesOn(file);
    writeFileSync(file, 'good 2');
    utimesSync(file, 1_000, 1_000);

    expect(await readThrough.get()).toMatchObject({ value: 'good 2' });
  });

  test('picks up a file put in place of the old one', async () => {
    const { folder, file, readThrough } = setUp({ ageMs: LATER_MS });
    writeFileSync(file, 'good 1');
    await readThrough.get();

    const fresh = join(folder, 'fresh');
    writeFileSync(fresh, 'good 2');
    renameSync(fresh, file);

    expect(await readThrough.get()).toMatchObject({ value: 'good 2' });
  });

  test('picks up a link that was turned to another file, as clusters do', async () => {
    const { folder, file, readThrough } = setUp({ ageMs: LATER_MS });
    const [one, two] = [join(folder, 'one'), join(folder, 'two')];
    writeFileSync(one, 'good 1');
    writeFileSync(two, 'good 2');
    symlinkSync(one, file);
    await readThrough.get();

    rmSync(file);
    symlinkSync(two, file);

    expect(await readThrough.get()).toMatchObject({ value: 'good 2' });
  });

  test('keeps the last good version in use beside the problems of a broken edit', async () => {
    const { file, readThrough } = setUp();
    writeFileSync(file, 'good 1');
    const good = await readThrough.get();

    writeFileSync(file, 'broken');

    expect(await readThrough.get()).toEqual({ ...good, problems: [{ path: '', message: 'cannot parse: broken' }] });
  });

  test('takes the mended file, without problems', async () => {
    const { file, readThrough } = setUp();
    writeFileSync(file, 'good 1');
    await readThrough.get();
    writeFileSync(file, 'broken');
    await readThrough.get();

    writeFileSync(file, 'good 2');

    expect(await readThrough.get()).toMatchObject({ available: true, value: 'good 2', problems: [] });
  });

  test('takes an edit that was undone, without problems', async () => {
    const { file, readThrough } = setUp();
    writeFileSync(file, 'good 1');
    const good = await readThrough.get();
    writeFileSync(file, 'broken');
    await readThrough.get();

    writeFileSync(file, 'good 1');

    expect(await readThrough.get()).toEqual(good);
  });

  test('has nothing in use when the first version is broken, and takes it when mended', async () => {
    const { file, readThrough } = setUp();
    writeFileSync(file, 'broken');

    const before = await readThrough.get();
    writeFileSync(file, 'good 1');
    const after = await readThrough.get();

    expect(before).toEqual({ available: false, problems: [{ path: '', message: 'cannot parse: broken' }] });
    expect(after).toMatchObject({ available: true, value: 'good 1', problems: [] });
  });

  test.each<[string, (file: string) => void, string, object]>([
    ['that is not there', () => undefined, 'file not found', { isAbsent: true }],
    ['that is a folder', (file) => mkdirSync(file), 'is a folder, expected a file', {}],
  ])('says what is wrong with a file %s', async (_, make, message, absent) => {
    const { file, readThrough } = setUp();
    make(file);

    expect(await readThrough.get()).toEqual({ available: false, ...absent, problems: [{ file, path: '', message }] });
  });

  test('keeps the last good version of a file that was deleted, and recovers when it comes back as it was', async () => {
    const { file, readThrough } = setUp({ ageMs: LATER_MS });
    writeFileSync(file, 'good 1');
    const good = await readThrough.get();

    rmSync(file);
    const deleted = await readThrough.get();
    writeFileSync(file, 'good 1');
    const restored = await readThrough.get();

    expect(deleted).toEqual({ ...good, problems: [{ file, path: '', message: 'file not found' }] });
    expect(restored).toEqual(good);
  });

  test('reports each change once, however often the file is read', async () => {
    const { file, readThrough, changes } = setUp();
    for (const content of ['good 1', 'broken', 'broken', 'broken too', 'good 1', 'good 1']) {
      writeFileSync(file, content);
      await readThrough.get();
      await readThrough.get();
    }
    rmSync(file);
    await readThrough.get();
    await readThrough.get();

    expect(changes).toEqual([
      'good 1',
      'good 1 beside cannot parse: broken',
      'good 1 beside cannot parse: broken too',
      'good 1',
      'good 1 beside file not found',
    ]);
  });

  test('reports a first version that is broken', async () => {
    const { file, readThrough, changes } = setUp();
    writeFileSync(file, 'broken');

    await readThrough.get();

    expect(changes).toEqual(['nothing beside cannot parse: broken']);
  });

  test('reads once for any number of callers at the same time', async () => {
    const { file, readThrough, parsed, changes } = setUp();
    writeFileSync(file, 'good 1');

    const all = await Promise.all(Array.from({ length: 20 }, () => readThrough.get()));

    expect(new Set(all).size).toBe(1);
    expect([parsed.length, changes.length]).toEqual([1, 1]);
  });
});

function setUp({ ageMs = 0 } = {}) {
  const folder = tempFolder();
  const file = join(folder, 'file');
  const parsed: string[] = [];
  const changes: string[] = [];
  const parse = (text: string): Parsed<string> => {
    parsed.push(text);
    return text.startsWith('good')
      ? { ok: true, value: text }
      : { ok: false, problems: [{ path: '', message: `cannot parse: ${text}` }] };
  };
  const readThrough = new ReadThroughFile<string>(file, {
    parse,
    onChange: (_, current) => changes.push(describeChange(current)),
    now: () => Date.now() + ageMs,
  });
  return { folder, file, readThrough, parsed, changes };
}

function describeChange(current: Current<string>): string {
  const inUse = current.available ? current.value : 'nothing';
  return [inUse, ...current.problems.map(({ message }) => message)].join(' beside ');
}

/** File systems count time in steps: waits until a change would show. */
async function changeTimeMovesOn(file: string): Promise<void> {
  const before = statSync(file).ctimeMs;
  const probe = `${file}.probe`;
  do {
    await new Promise((resolve) => setImmediate(resolve));
    writeFileSync(probe, 'x');
  } while (statSync(probe).ctimeMs <= before);
  rmSync(probe);
}
