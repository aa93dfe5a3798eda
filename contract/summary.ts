/** Summaries of timers, activities and workflows are short by the server's rule: a longer one is refused, and the run with it. */
export function summaryOf(text: string): string {
  const line = text.toWellFormed().replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
  return line.length <= MAX_CHARS ? line : `${line.slice(0, MAX_CHARS - 1).toWellFormed()}…`;
}

/** At most three bytes each, under the limit of 200 bytes that the strictest servers have. */
const MAX_CHARS = 60;
