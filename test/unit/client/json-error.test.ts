import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeJsonError } from '#client/json-error.js';

test.each([
  ['', 'at position 0 (line 1, column 1) expected a value, but it ends there'],
  ['{"a"', 'at position 4 (line 1, column 5) expected :, but it ends there'],
  ['{"a":1,}', 'at position 7 (line 1, column 8) expected a key, found "}"'],
  ['{\n  "a": 1,\n}', 'at position 12 (line 3, column 1) expected a key, found "}"'],
  ['{"a":1 "b":2}', 'at position 7 (line 1, column 8) expected a comma, found "\\""'],
  ['[1,]', 'at position 3 (line 1, column 4) expected a value, found "]"'],
  ['[1}', 'at position 2 (line 1, column 3) expected a comma, found "}"'],
  ['01', 'at position 1 (line 1, column 2) expected nothing more, found "1"'],
  ['nul', 'at position 0 (line 1, column 1) expected JSON, found "n"'],
  ['"a\\x"', 'at position 0 (line 1, column 1) expected a text without a broken escape, found "\\""'],
  ['{} // mine', 'at position 3 (line 1, column 4) expected no comment, found "/"'],
])('%j: %s', (text, said) => {
  expect(describeJsonError(text)).toBe(said);
});

test('comments are taken where they may stand', () => {
  expect(describeJsonError('{ // mine\n', { comments: true })).toContain('expected }');
  expect(describeJsonError('{"a": 1,} // mine', { comments: true })).toContain('expected a key');
});

test('says where in whatever JSON.parse refuses', () => {
  const slips = fc.constantFrom(
    ...['', 'x', ',', '}', ']', '"', '{', '\\', '0', '\u0001', ':', '-', 'e', '\u007f', '\u2028'],
  );
  fc.assert(
    fc.property(fc.json(), fc.nat(), slips, fc.nat(3), (json, place, slip, left) => {
      const at = place % (json.length + 1);
      const text = json.slice(0, at) + slip + json.slice(at + left);
      expect(describeJsonError(text).startsWith('at position '), text).toBe(!isJson(text));
    }),
    { numRuns: 10_000 },
  );
});

test('takes no time for large texts', () => {
  const begun = performance.now();

  for (const piece of ['a', '\\n', '1 ', 'x '])
    expect(describeJsonError(`["${piece.repeat(2_000_000)}`)).toContain('too many');

  expect(performance.now() - begun).toBeLessThan(1_000);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
