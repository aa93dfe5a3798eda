import { joinLines, visibleLines } from '#contract/text/plain-text.js';

// Slack finds markup in the middle of texts. What is not ours goes through here, and stays text: no mention, no link, no
// formatting, and nothing that ends the code it stands in.

/** A text of Slack: `plain_text` is shown as it is, `mrkdwn` may be formatted. */
export type SlackText =
  | { type: 'plain_text'; text: string; emoji: false }
  /** Verbatim, so that an address or a name of a channel in it does not become a link. */
  | { type: 'mrkdwn'; text: string; verbatim: true };

/** For text that is not ours, and for our own where nothing is formatted. Lines stay lines. */
export function plain(text: string, maxChars: number): SlackText {
  return { type: 'plain_text', text: escaped(visibleLines(text).join('\n'), maxChars) || EMPTY, emoji: false };
}

/** For markup made of our own words, `code` and `codeBlock`. */
export function mrkdwn(text: string): SlackText {
  return { type: 'mrkdwn', text, verbatim: true };
}

/** A word or two of ours that stand out. */
export function bold(text: string): string {
  return `*${escaped(withoutTicks(joinLines(text)).replace(/[*_~]/g, ' '), MAX_BOLD_CHARS) || EMPTY}*`;
}

/** Inline code, on one line. */
export function code(text: string, maxChars: number): string {
  return `\`${escaped(withoutTicks(joinLines(text)), maxChars - 2) || EMPTY}\``;
}

/** A block of code, as tall as the text. */
export function codeBlock(text: string, maxChars: number): string {
  const lines = visibleLines(withoutTicks(text)).join('\n');
  return `\`\`\`\n${escaped(lines, maxChars - 2 * FENCE_CHARS) || EMPTY}\n\`\`\``;
}

/** Slack takes no text without characters. */
const EMPTY = '-';
const FENCE_CHARS = 4;
const MAX_BOLD_CHARS = 100;

/** Code has no way to hold one: three of them end a block, and one ends inline code. */
function withoutTicks(text: string): string {
  return text.replaceAll('`', 'ˋ');
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** The three characters that begin markup of Slack's. Cut between characters, never within an entity. */
function escaped(text: string, maxChars: number): string {
  const clean = text.trim().toWellFormed();
  let whole = '';
  let cut = '';
  for (const char of clean) {
    const shown = ENTITIES[char] ?? char;
    if (whole.length + shown.length > maxChars) return `${cut}…`;
    whole += shown;
    if (whole.length < maxChars) cut = whole;
  }
  return whole;
}
