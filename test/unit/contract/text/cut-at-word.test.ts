import { expect, test } from 'vitest';
import { cutAtWord } from '#contract/text/shorten.js';

test.each([
  ['short enough stays whole', 'one two', 7, 'one two'],
  ['within a word goes back to the end of the one before', 'one two three', 10, 'one two…'],
  ['right behind a word keeps it', 'one two three', 8, 'one two…'],
  ['with no room for the mark behind a word drops that word', 'one two three four', 13, 'one two…'],
  ['of one long word cuts it', 'abcdefghij', 5, 'abcd…'],
  ['of a long word behind a short one keeps most of it', 'a bcdefghij', 6, 'a bcd…'],
  ['never leaves half a character', 'abc\u{1f600}def', 5, 'abc\ufffd…'],
])('text that is %s', (_, text, maxChars, cut) => {
  expect(cutAtWord(text, maxChars)).toBe(cut);
  expect(cut.length).toBeLessThanOrEqual(maxChars);
});
