import { visible } from '../contract/plain-text.js';
import { shortened } from '../contract/shortened.js';

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
