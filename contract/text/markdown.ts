import { shownText, visible } from './plain-text.js';
import { shortened } from './shorten.js';

// Details shown in the Temporal UI are Markdown. What comes from events goes through here, so that it stays text.

/** A code span that nothing inside can end. */
export function code(text: string): string {
  const clean = visible(text).replaceAll('`', 'ˋ').replaceAll('|', '¦');
  return clean === '' ? '` `' : `\`${clean}\``;
}

/** The same for a text of many lines, which is cut. ⏎ marks the end of a line. */
export function codeLine(text: string, maxChars: number): string {
  return code(shortened(text.replace(/\s*[\r\n]+\s*/g, ' ⏎ '), maxChars));
}

/** A fenced block that nothing inside can end. */
export function codeBlock(text: string, maxChars: number): string {
  const shown = shownText(text, maxChars);
  const longestRun = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longestRun + 1);
  return `${fence}text\n${shown}\n${fence}`;
}

/** `?` for what is no time: an error here would stop a workflow for good. */
export function utc(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '?' : `${date.toISOString().replace('T', ' ').slice(0, 19)} UTC`;
}

/** A time as it is read beside another one: of the same day without the date. */
export function utcBeside(at: number, besideAt: number): string {
  const [date, time] = utc(at).split(' ');
  return time !== undefined && utc(besideAt).split(' ')[0] === date ? `${time} UTC` : utc(at);
}
