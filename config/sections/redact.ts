import { listOf, strict, text } from '#contract/text/schema-words.js';

/** What is secret in payloads, beyond what every mesh knows to be. */
export const Redact = strict({
  keys: listOf(text('a payload key'), 'a list of payload keys').default([]),
  patterns: listOf(
    text('a regular expression').refine(isPattern, { error: 'is not a regular expression that finds something' }),
    'a list of regular expressions',
  ).default([]),
});

/** A pattern that matches the empty text matches everywhere, and would hide nothing. */
function isPattern(written: string): boolean {
  try {
    return !new RegExp(written, 'u').test('');
  } catch {
    return false;
  }
}
