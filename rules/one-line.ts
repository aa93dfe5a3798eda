import { visible } from '../contract/plain-text.js';

/** A text that may have many lines, in one, cut, and harmless to look at. */
export function oneLine(text: string, maxChars: number): string {
  const line = visible(text.trim().replace(/\s*[\r\n\u2028\u2029]+\s*/g, ' ⏎ '));
  return line.length <= maxChars ? line : `${line.slice(0, maxChars).toWellFormed()}…`;
}
