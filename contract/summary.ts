import { shortened } from './shortened.js';

/** Summaries of timers, activities and workflows are short by the server's rule: a longer one is refused, and the run with it. */
export function summaryOf(text: string): string {
  const line = text.toWellFormed().replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
  return shortened(line, MAX_CHARS);
}

/** At most three bytes each, under the limit of 200 bytes that the strictest servers have. */
const MAX_CHARS = 60;
