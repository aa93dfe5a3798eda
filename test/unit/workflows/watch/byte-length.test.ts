import { expect, test } from 'vitest';
import { byteLength } from '#workflows/watch/byte-length.js';

test.each<[unknown, number]>([
  ['abc', 5],
  ['é', 4],
  ['🔥', 6],
  [{ a: 1 }, 7],
])('the length of %j is %d', (value, bytes) => {
  expect(byteLength(value)).toBe(bytes);
});
