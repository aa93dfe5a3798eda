import type { ChannelConfig } from '#config/sections/teams.js';
import type { OutboundAnswer } from '#adapters/http/create-outbound.js';
import type { DeliveryAnswer } from '#contract/notification.js';
import { type Channel, type DeliveryWorld, HTTP_ATTEMPT_LIMIT_MS, type Parcel } from '../../channel.js';
import { postJson, refusalOf } from '../post-json.js';
import type { SlackBlock } from './blocks.js';
import type { SlackText } from './mrkdwn.js';
import { fallbackOf, renderSlack, type SlackMessage } from './render.js';

export type SlackConfig = Extract<ChannelConfig, { type: 'slack' }>;

/** A message to a channel of Slack. */
export const slack: Channel<SlackConfig> = {
  audience: 'team',
  attemptLimitMs: HTTP_ATTEMPT_LIMIT_MS,
  prepare(parcel) {
    const message = renderSlack(parcel.request.message);
    return {
      destination: `Slack, incoming webhook ${parcel.channel.webhook}`,
      receiver: `Slack, incoming webhook ${parcel.channel.webhook}`,
      preview: [
        { part: 'message', text: dumpOf(message) },
        { part: 'body', text: JSON.stringify(message, null, 2) },
      ],
      send: (world) => sendToSlack(message, parcel, world),
    };
  },
};

/**
 * Posts it. Slack has no key by which it knows a message again: when the answer to a post is lost, the next attempt is a
 * second message.
 */
export async function sendToSlack(
  message: SlackMessage,
  parcel: Parcel<SlackConfig>,
  world: DeliveryWorld,
): Promise<DeliveryAnswer> {
  const url = await world.secret(parcel.channel.webhook);
  const post = (what: SlackMessage) =>
    postJson({ url, body: JSON.stringify(what), secrets: [url] }, parcel, world).then((answer) => ({
      answer,
      refusal: refusalOf('Slack', answer, world.nowMs()),
    }));

  const first = await post(message);
  const { answer, refusal } = refusesBlocks(first.answer) ? await post(fallbackOf(parcel.request.message)) : first;
  if (refusal) return refusal;
  if (!saysOk(answer)) {
    // Such as the page of a network that wants a login, or a program that posted it and says so in words of its own.
    const reason = 'the webhook answered, but not with the ok of Slack';
    return { delivered: false, reason, isFinal: false, mayHaveArrived: true };
  }
  const detail = answer === first.answer ? 'posted to Slack' : 'posted to Slack as plain text: it refused the blocks';
  return { delivered: true, detail };
}

/** Nothing was posted then, so the same in plain text is no second message. */
function refusesBlocks(answer: OutboundAnswer): boolean {
  return answer.kind === 'answered' && answer.status === 400 && /blocks/.test(answer.text);
}

/** As plain text, or as JSON from programs that take what Slack takes. Anything else may be a page of somebody else's. */
function saysOk(answer: OutboundAnswer): boolean {
  if (answer.kind !== 'answered') return false;
  return answer.text.trim() === 'ok' || /^\s*\{\s*"(ok|success)"\s*:\s*true\b/.test(answer.text);
}

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
