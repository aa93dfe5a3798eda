import type { OutboundAnswer } from '#adapters/http/create-outbound.js';
import type { DeliveryWorld, Parcel } from '../../channel.js';
import type { DeliveryAnswer } from '#contract/notification.js';
import { postJson, refusalOf } from '../post-json.js';
import type { SlackConfig } from './channel.js';
import { fallbackOf, type SlackMessage } from './render.js';

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
