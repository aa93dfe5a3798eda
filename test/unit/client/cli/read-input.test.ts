import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CliError } from '#client/cli/cli-error.js';
import { parseJsonLines, readInput } from '#client/cli/read-input.js';
import { tempFolder } from '../../../support/temp-folder.js';

describe('readInput', () => {
  test('reads a file', async () => {
    const file = join(tempFolder(), 'x');
    writeFileSync(file, 'héllo');

    expect(await readInput(file)).toBe('héllo');
  });

  test('says which file is not there', async () => {
    const file = join(tempFolder(), 'x');

    await expect(readInput(file)).rejects.toThrow(new CliError(`${file}: file not found`));
  });

  test('says which file cannot be read', async () => {
    const folder = join(tempFolder(), 'x');
    mkdirSync(folder);

    await expect(readInput(folder)).rejects.toThrow(`${folder}: cannot be read: EISDIR`);
  });
});

describe('parseJsonLines', () => {
  test.each<[string, string, [number, unknown][]]>([
    ['nothing', ' \n\n', []],
    ['one value', '{"a":1}', [[1, { a: 1 }]]],
    ['one value over several lines', '{\n  "a": 1\n}\n', [[1, { a: 1 }]]],
    [
      'a list of values',
      '[{"a":1},{"a":2}]',
      [
        [1, { a: 1 }],
        [1, { a: 2 }],
      ],
    ],
    [
      'one value per line',
      '{"a":1}\n{"a":2}\n',
      [
        [1, { a: 1 }],
        [2, { a: 2 }],
      ],
    ],
    [
      'lines with blank ones between',
      '{"a":1}\n\n  \n{"a":2}',
      [
        [1, { a: 1 }],
        [4, { a: 2 }],
      ],
    ],
    [
      'lines that end as on Windows',
      '{"a":1}\r\n{"a":2}\r\n',
      [
        [1, { a: 1 }],
        [2, { a: 2 }],
      ],
    ],
    ['a byte order mark before one value', '\uFEFF{"a":1}', [[1, { a: 1 }]]],
    [
      'a byte order mark before lines',
      '\uFEFF{"a":1}\n{"a":2}',
      [
        [1, { a: 1 }],
        [2, { a: 2 }],
      ],
    ],
  ])('reads %s', (_, content, expected) => {
    expect(parseJsonLines(content, 'f').map(({ line, value }) => [line, value])).toEqual(expected);
  });

  test('names every line that is not JSON', () => {
    expect(() => parseJsonLines('{"a":1}\nnope\n{"a":2}\n{broken\n', 'events.jsonl')).toThrow(
      /^events\.jsonl:2: not valid JSON: .+\nevents\.jsonl:4: not valid JSON: .+$/,
    );
  });

  test('names no more than ten of them', () => {
    const lines = () => parseJsonLines('nope\n'.repeat(500), 'f');

    expect(lines).toThrow(/^(f:\d+: .+\n){9}f:10: .+$/);
  });
});
