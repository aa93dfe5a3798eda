import { shortened } from './shorten.js';

// Text of events, rules and agents as people may safely look at it, in a terminal or elsewhere.

/** Control, bidirectional and zero-width characters, and letters that look like nothing, as what they are, not as what they do. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (char) => {
    const code = (char.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
}

/** What acts on the eye instead of being seen. The last ones: the joiner of graphemes, and the fillers of Hangul, which are no format characters to Unicode. */
export const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029\u034f\u115f\u1160\u3164\uffa0]/gu;

/** The same with line breaks of every kind kept. A tab hides nothing, and traces and logs are full of them. */
export function visibleLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/).map((line) => visible(line.replaceAll('\t', TAB)));
}

const TAB = '    ';

/** The same as one text that is not without an end: cut after invisible characters are written out, which makes it longer. */
export function shownText(text: string, maxChars: number): string {
  // No more is written out than can be shown, and one more: a line break may become half as long as it was.
  return shortened(
    visibleLines(text.slice(0, 2 * maxChars + 2))
      .join('\n')
      .toWellFormed(),
    maxChars,
  );
}

/** A text that may have many lines, in one, cut, and harmless to look at. ⏎ marks where a line broke. */
export function oneLine(text: string, maxChars: number): string {
  const line = visible(
    text
      .trim()
      .replace(/\s*[\r\n\u2028\u2029]+\s*/g, ' ⏎ ')
      .replaceAll('\t', ' '),
  );
  return shortened(line, maxChars);
}

/**
 * One line that hides nothing, for where a line break would begin something else: lines are joined with a blank, and it is
 * never longer than `maxChars`. (`oneLine` marks where lines broke, for texts that are read on their own.)
 */
export function joinLines(text: string, maxChars = Infinity): string {
  return shortened(visible(text.trim().replace(/\s+/g, ' ')), maxChars);
}
