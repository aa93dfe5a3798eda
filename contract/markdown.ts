import { visible, visibleLines } from './plain-text.js';

// Details shown in the Temporal UI are Markdown. What comes from events goes through here, so that it stays text.

/** A code span that nothing inside can end. */
export function code(text: string): string {
  const clean = visible(text).replaceAll('`', 'ˋ').replaceAll('|', '¦');
  return clean === '' ? '` `' : `\`${clean}\``;
}

/** A fenced block that nothing inside can end. Cut after invisible characters are written out, which makes them longer. */
export function codeBlock(text: string, maxChars: number): string {
  const shown = visibleLines(text.slice(0, maxChars)).join('\n');
  const cut = text.length > maxChars || shown.length > maxChars ? `${shown.slice(0, maxChars).toWellFormed()}…` : shown;
  const longestRun = Math.max(2, ...[...cut.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longestRun + 1);
  return `${fence}text\n${cut}\n${fence}`;
}

export function utc(at: number): string {
  return `${new Date(at).toISOString().replace('T', ' ').slice(0, 19)} UTC`;
}
