import { utc } from '../../../contract/markdown.js';

/** "42 s", "3 min", "2 h 5 min", "4 d": as exact as someone who waits wants it. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d`;
}

/** "3 min ago", "in 42 s". */
export function relative(at: number, now: number): string {
  if (Math.abs(at - now) < 1_000) return 'just now';
  return at > now ? `in ${duration(at - now)}` : `${duration(now - at)} ago`;
}

/** "3 min ago (03:10:02 UTC)"; with the date when it is another day's. */
export function moment(at: number, now: number): string {
  return `${relative(at, now)} (${clock(at, now)})`;
}

/** The time in UTC; with the date when it is another day's. */
export function clock(at: number, now: number): string {
  const isSameDay = utc(at).slice(0, 10) === utc(now).slice(0, 10);
  return isSameDay ? utc(at).slice(11) : utc(at);
}
