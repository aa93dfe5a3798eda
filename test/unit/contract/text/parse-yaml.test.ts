import { describe, expect, test } from 'vitest';
import { parseYaml } from '#contract/text/parse-yaml.js';

describe('parseYaml', () => {
  test.each([
    ['YAML', 'a: 1\nb: [x, y]\n'],
    ['JSON', '{"a": 1, "b": ["x", "y"]}'],
    ['JSON indented with tabs', '{\n\t"a": 1,\n\t"b": ["x", "y"]\n}'],
    ['YAML with a byte order mark', '\uFEFFa: 1\nb: [x, y]\n'],
    ['YAML with the line ends of Windows', 'a: 1\r\nb:\r\n  - x\r\n  - y\r\n'],
    ['YAML with comments', '# what\na: 1 # one\nb: [x, y]'],
    ['YAML with a few aliases', 'a: &one 1\nb: [x, y]'],
  ])('reads %s', (_, text) => {
    const parsed = parseYaml(text, 'f');

    expect(parsed).toMatchObject({ ok: true, value: { a: 1, b: ['x', 'y'] } });
  });

  test.each([
    ['an unclosed list', 'a: 1\nb: [x', 2],
    ['a tab as indentation', 'a:\n\tb: 1', 2],
    ['a key given twice', 'a: 1\nb: 2\na: 3', 3],
    ['a second document', 'a: 1\n---\nb: 2', 2],
    ['JSON cut off', '{"a": 1,\n"b": [', 2],
  ])('names the line of %s', (_, text, line) => {
    const parsed = parseYaml(text, 'f.yaml');

    expect(parsed).toMatchObject({
      ok: false,
      problems: [
        { file: 'f.yaml', path: '', line, message: expect.stringMatching(/^not valid YAML or JSON: \S/) as string },
      ],
    });
  });

  test.each(['', ' \n\n', '# only a comment\n', 'null', '~', '\uFEFF'])('says of %j that it is empty', (text) => {
    const parsed = parseYaml(text, 'f.yaml');

    expect(parsed).toMatchObject({
      ok: false,
      problems: [{ message: 'is empty: expected an object', hint: 'the smallest valid file is {}' }],
    });
  });

  test('refuses a file that would unfold into a billion values', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 9; level++)
      lines.push(
        `a${level}: &a${level} [${Array<string>(10)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      );

    const parsed = parseYaml(lines.join('\n'), 'f.yaml');

    expect(parsed).toMatchObject({
      ok: false,
      problems: [{ message: expect.stringMatching(/^not valid YAML: .*alias/i) as string }],
    });
  });

  test('does not repeat a password that begins like an alias', () => {
    const parsed = parseYaml('password: *Hunter2xyz', 'f.yaml');

    expect(parsed).toMatchObject({
      ok: false,
      problems: [{ message: expect.stringContaining('needs quotes') as string }],
    });
    expect(JSON.stringify(parsed)).not.toContain('Hunter2xyz');
  });

  test.each(['a: &a [*a]', '&a {b: *a}', 'a: &a {b: {c: [1, *a]}}'])('refuses %s, which contains itself', (text) => {
    const parsed = parseYaml(text, 'f.yaml');

    expect(parsed).toMatchObject({
      ok: false,
      problems: [{ message: 'not valid YAML: an alias stands inside what it repeats' }],
    });
  });

  test('takes the same value used in two places', () => {
    const parsed = parseYaml('a: &x {y: 1}\nb: [*x, *x]', 'f.yaml');

    expect(parsed).toMatchObject({ ok: true, value: { a: { y: 1 }, b: [{ y: 1 }, { y: 1 }] } });
  });

  test.each([
    ['brackets', '['.repeat(20_000)],
    ['braces', '{a: '.repeat(20_000)],
    ['dashes', '- '.repeat(20_000)],
    ['keys', Array.from({ length: 200 }, (_, depth) => `${' '.repeat(depth)}k:`).join('\n')],
    ['explicit keys', '? '.repeat(20_000)],
  ])('refuses %s nested without end', (_name, text) => {
    const parsed = parseYaml(text, 'f.yaml');

    expect(parsed).toMatchObject({
      ok: false,
      problems: [{ message: 'not valid YAML: nested more than 64 levels deep' }],
    });
  });

  test('refuses a file of over a million characters', () => {
    const parsed = parseYaml(`a: ${'x'.repeat(1_000_000)}`, 'f.yaml');

    expect(parsed).toMatchObject({ ok: false, problems: [{ message: 'is longer than 1000000 characters' }] });
  });
});

describe('lineOf', () => {
  const text = [
    '# heading',
    'a:',
    '  - x: 1',
    '    y:',
    '      z: 2',
    '  - x: 3',
    '"b.c": 4',
    'long:',
    '',
    '  deep: 5',
  ].join('\n');

  test.each([
    ['a', 2],
    ['a[0]', 3],
    ['a[0].x', 3],
    ['a[0].y', 4],
    ['a[0].y.z', 5],
    ['a[1]', 6],
    ['["b.c"]', 7],
    ['long', 8],
    ['long.deep', 10],
  ])('of %s is where it begins', (path, line) => {
    expect(lineOf(text, path)).toBe(line);
  });

  test.each([
    ['a key that is missing', 'a[1].missing', 6],
    ['a whole part that is missing', 'a[0].y.no.where', 4],
    ['an item beyond the list', 'a[7]', 2],
    ['a key that only starts like another', 'ab', undefined],
    ['the document', '', undefined],
  ])('of %s is that of what is around it', (_, path, line) => {
    expect(lineOf(text, path)).toBe(line);
  });

  test('counts lines that end as on Windows', () => {
    expect(lineOf(text.replaceAll('\n', '\r\n'), 'long.deep')).toBe(10);
  });

  test('counts lines of JSON', () => {
    expect(lineOf('{\n  "a": [\n    {"x": 1},\n    {"x": 2}\n  ]\n}', 'a[1].x')).toBe(4);
  });
});

function lineOf(text: string, path: string): number | undefined {
  const parsed = parseYaml(text, 'f.yaml');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.lineOf(path);
}
