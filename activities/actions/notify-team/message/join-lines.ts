import { visible } from '../../../../contract/plain-text.js';
import { shortened } from '../../../../contract/shortened.js';

/**
 * One line that hides nothing, for where a line break would begin something else: lines are joined with a blank, and it is
 * never longer than `maxChars`. (`rules/one-line.ts` marks where lines broke, for texts that are read on their own.)
 */
export function joinLines(text: string, maxChars = Infinity): string {
  return shortened(visible(text.trim().replace(/\s+/g, ' ')), maxChars);
}
