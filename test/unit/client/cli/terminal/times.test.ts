import { expect, test } from 'vitest';
import { clock, duration, moment, relative } from '#client/cli/terminal/times.js';

const NOW = Date.UTC(2026, 0, 31, 3, 12, 9);

test.each([
  [-5, '0 ms'],
  [241.6, '242 ms'],
  [999, '999 ms'],
  [1_000, '1 s'],
  [119_999, '119 s'],
  [120_000, '2 min'],
  [7_199_000, '119 min'],
  [7_200_000, '2 h'],
  [7_500_000, '2 h 5 min'],
  [172_800_000, '2 d'],
  [31 * 86_400_000, '31 d'],
])('%i ms last %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test.each([
  [0, 'just now'],
  [999, 'just now'],
  [-999, 'just now'],
  [42_000, 'in 42 s'],
  [-180_000, '3 min ago'],
])('%i ms from now is %s', (ms, text) => {
  expect(relative(NOW + ms, NOW)).toBe(text);
});

test('times of the same day go without the date', () => {
  expect(moment(NOW - 180_000, NOW)).toBe('3 min ago (03:09:09 UTC)');
  expect(clock(NOW, NOW)).toBe('03:12:09 UTC');
});

test('times of another day have it', () => {
  expect(moment(NOW - 4 * 3_600_000, NOW)).toBe('4 h ago (2026-01-30 23:12:09 UTC)');
});
