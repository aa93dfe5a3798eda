import { visible } from '../../../../contract/plain-text.js';

/** One line that hides nothing, for where a line break would begin something else. */
export function oneLine(text: string, maxChars = Infinity): string {
  const line = visible(text.trim().replace(/\s+/g, ' '));
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1).toWellFormed()}…`;
}
