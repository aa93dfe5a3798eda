import { utc } from '#contract/text/markdown.js';

/** A time as it is read beside another one: of the same day without the date. */
export function clock(at: number, besideAt: number): string {
  const [date, time] = utc(at).split(' ');
  return time !== undefined && utc(besideAt).split(' ')[0] === date ? `${time} UTC` : utc(at);
}
