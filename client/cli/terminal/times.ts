import { duration } from '#contract/text/duration.js';
import { utc } from '#contract/text/markdown.js';

export { duration } from '#contract/text/duration.js';

/** "3 min ago", "in 42 s". */
export function relative(at: number, now: number): string {
  if (Math.abs(at - now) < 1_000) return 'just now';
  return at > now ? `in ${duration(at - now)}` : `${duration(now - at)} ago`;
}

/** "3 min ago (03:10:02 UTC)"; with the date when it is another day's. */
export function moment(at: number, now: number): string {
  return `${relative(at, now)} (${clock(at, now)})`;
}

/** The same for a table, where what is left of it in a narrow terminal is how long ago. `say` puts it into words. */
export function momentCell(at: number, now: number, say = (when: string) => when): { text: string; short: string } {
  return { text: say(moment(at, now)), short: say(relative(at, now)) };
}

/** The time in UTC; with the date when it is another day's. */
export function clock(at: number, now: number): string {
  const isSameDay = utc(at).slice(0, 10) === utc(now).slice(0, 10);
  return isSameDay ? utc(at).slice(11) : utc(at);
}
