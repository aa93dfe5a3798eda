import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findJsonError } from '#client/gateway/find-json-error.js';

test.each([
  ['', 0, 'a value'],
  ['  ', 2, 'a value'],
  ['{', 1, 'a key or }'],
  ['{"a"', 4, ':'],
  ['{"a" 1}', 5, ':'],
  ['{"a":}', 5, 'a value'],
  ['{"a":1,}', 7, 'a key'],
  ['{"a":1 "b":2}', 7, ', or }'],
  ["{'a':1}", 1, 'a key or }'],
  ['[', 1, 'a value or ]'],
  ['[1,]', 3, 'a value'],
  ['[1 2]', 3, ', or ]'],
  ['[1}', 2, ', or ]'],
  ['1 2', 2, 'nothing more'],
  ['01', 1, 'nothing more'],
  ['"abc', 4, 'the rest of the text'],
  ['"a\\x"', 2, 'the rest of the text'],
  ['"a\nb"', 2, 'the rest of the text'],
  ['nul', 0, 'a value'],
  ['{"a":tru}', 5, 'a value'],
])('%j stops being JSON at %i, where %s should stand', (text, offset, expected) => {
  expect(findJsonError(text)).toEqual({ offset, expected });
});

test('agrees with JSON.parse on what is JSON, whatever is done to it', () => {
  const isJson = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const slips = fc.constantFrom(
    '',
    'x',
    ',',
    '}',
    ']',
    '"',
    '{',
    '\\',
    '0',
    '\u0001',
    ':',
    '-',
    'e',
    '\u007f',
    '\u2028',
  );
  fc.assert(
    fc.property(fc.json(), fc.nat(), slips, fc.nat(3), (json, place, slip, left) => {
      const at = place % (json.length + 1);
      const text = json.slice(0, at) + slip + json.slice(at + left);
      expect(findJsonError(text) === undefined, text).toBe(isJson(text));
    }),
    { numRuns: 10_000 },
  );
});

test('takes large texts without running out of stack or time', () => {
  const begun = performance.now();

  expect(findJsonError(`"${'a'.repeat(4_000_000)}`)?.offset).toBe(4_000_001);
  expect(findJsonError('['.repeat(4_000_000))?.offset).toBe(4_000_000);
  expect(findJsonError(`"${'\\n'.repeat(2_000_000)}`)?.offset).toBe(4_000_001);

  expect(performance.now() - begun).toBeLessThan(5_000);
});
