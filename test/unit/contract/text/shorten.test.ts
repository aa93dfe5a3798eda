import { expect, test } from 'vitest';
import { shownText } from '#contract/text/plain-text.js';
import { shortened } from '#contract/text/shorten.js';

test('what is short enough stays as it is', () => {
  expect(shortened('', 3)).toBe('');
  expect(shortened('abc', 3)).toBe('abc');
});

test('what is cut is never longer than it may be, and says so', () => {
  expect(shortened('abcd', 3)).toBe('ab…');
});

test('no half of a character is left', () => {
  expect(shortened('a😀bc', 3)).toBe('a\ufffd…');
});

test('a text is cut after what hides in it is written out', () => {
  expect(shownText('ab\u202ecd', 20)).toBe('ab\\u202ecd');
  expect(shownText('ab\u202ecd', 8)).toBe('ab\\u202…');
});

test('line breaks of two characters do not hide that a text goes on', () => {
  expect(shownText('\r\n'.repeat(5), 5)).toBe('\n'.repeat(5));
  expect(shownText('\r\n'.repeat(6), 5)).toBe(`${'\n'.repeat(4)}…`);
});
