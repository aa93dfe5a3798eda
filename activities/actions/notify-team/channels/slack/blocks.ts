import { mrkdwn, plain, type SlackText } from './mrkdwn.js';

/** The blocks of Block Kit that messages are made of. */
export type SlackBlock =
  | { type: 'header'; text: SlackText }
  | { type: 'section'; text: SlackText }
  | { type: 'section'; fields: SlackText[] }
  | { type: 'context'; elements: SlackText[] }
  | { type: 'actions'; elements: SlackButton[] };

export interface SlackButton {
  type: 'button';
  action_id: string;
  text: SlackText;
  url: string;
}

// What Slack takes; one character more anywhere, and it takes none of the message.
export const MAX_HEADER_CHARS = 150;
export const MAX_SECTION_CHARS = 3_000;
export const MAX_FIELD_CHARS = 2_000;
export const MAX_FIELDS = 10;
export const MAX_BLOCKS = 50;
const MAX_BUTTONS = 5;
const MAX_BUTTON_CHARS = 75;
const MAX_URL_CHARS = 3_000;
/** Nothing in it ends the address, in whatever stands around it. */
const ADDRESS = /^https?:\/\/[\w.~:/?#[\]@!$&'()*+,;=%-]+$/;

export function header(text: string): SlackBlock {
  return { type: 'header', text: plain(text, MAX_HEADER_CHARS) };
}

export function section(text: SlackText): SlackBlock {
  return { type: 'section', text };
}

/** Small and grey. */
export function context(text: string): SlackBlock {
  return { type: 'context', elements: [plain(text, MAX_FIELD_CHARS)] };
}

/** In two columns, as many blocks as are needed. */
export function fields(texts: string[]): SlackBlock[] {
  const blocks: SlackBlock[] = [];
  for (let from = 0; from < texts.length; from += MAX_FIELDS) {
    blocks.push({ type: 'section', fields: texts.slice(from, from + MAX_FIELDS).map(mrkdwn) });
  }
  return blocks;
}

/** Links to our own pages. They are the only links in a message, and no text becomes one. */
export function buttons(links: { text: string; url: string }[]): SlackBlock[] {
  const elements = links
    .filter(({ url }) => isAddress(url))
    .slice(0, MAX_BUTTONS)
    .map(({ text, url }, index): SlackButton => ({
      type: 'button',
      action_id: `open-${index}`,
      text: plain(text, MAX_BUTTON_CHARS),
      url,
    }));
  return elements.length === 0 ? [] : [{ type: 'actions', elements }];
}

export function isAddress(url: string): boolean {
  return url.length <= MAX_URL_CHARS && ADDRESS.test(url);
}

/** All characters of a block that count towards the size of a message. */
export function sizeOf(block: SlackBlock): number {
  return JSON.stringify(block).length;
}
