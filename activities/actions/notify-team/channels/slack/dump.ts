import type { SlackBlock } from './blocks.js';
import type { SlackText } from './mrkdwn.js';
import type { SlackMessage } from './render.js';

/** The message as text, for people who look at it without Slack. Characters that Slack wants escaped are so here too. */
export function dumpOf({ text, blocks = [] }: SlackMessage): string {
  return [`[in notifications] ${text}`, ...blocks.map(dumpBlock)].join('\n\n');
}

function dumpBlock(block: SlackBlock): string {
  switch (block.type) {
    case 'header':
      return block.text.text;
    case 'section':
      return 'text' in block ? block.text.text : textsOf(block.fields).join('\n');
    case 'context':
      return textsOf(block.elements).join('\n');
    case 'actions':
      return block.elements.map(({ text, url }) => `[${text.text}] ${url}`).join('\n');
  }
}

function textsOf(texts: SlackText[]): string[] {
  return texts.map(({ text }) => text);
}
