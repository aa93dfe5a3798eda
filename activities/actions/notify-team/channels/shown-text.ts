import { visibleLines } from '../../../../contract/plain-text.js';

/** A text of somebody else's as other programs may take it: nothing in it is hidden, and it is not without an end. */
export function shownText(text: string, maxChars: number): string {
  const shown = visibleLines(text.slice(0, maxChars)).join('\n').toWellFormed();
  if (shown.length <= maxChars && text.length <= maxChars) return shown;
  // Cut once more: what was made visible is longer than it was.
  return `${shown.slice(0, maxChars - 1).toWellFormed()}…`;
}
