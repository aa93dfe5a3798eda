import { oneLine } from '#contract/text/plain-text.js';
import type { Screen } from './screen.js';

/** One line, cut for a person at a terminal; elsewhere whole, since it may be searched or kept. */
export function cutFor({ width }: Pick<Screen, 'width'>, text: string, maxChars: number): string {
  return oneLine(text, width === undefined ? Infinity : maxChars);
}
