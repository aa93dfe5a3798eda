import { visible } from '../../../contract/plain-text.js';

/** A text that may have many lines, in one, cut, and harmless to look at. */
export function oneLine(text: string, maxChars: number): string {
  const line = text.trim().replace(/\s*[\r\n]+\s*/g, ' ⏎ ');
  return visible(line.length <= maxChars ? line : `${line.slice(0, maxChars).toWellFormed()}…`);
}
