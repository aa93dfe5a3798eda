import type { ChannelConfig } from '#config/sections/teams.js';
import { shownAddress } from '#activities/shown-address.js';
import { SECRET } from '#config/secret.js';
import type { DeliveryAnswer } from '#contract/notification.js';
import { type Channel, type DeliveryWorld, HTTP_ATTEMPT_LIMIT_MS, type Parcel } from '../../channel.js';
import { postJson, refusalOf } from '../post-json.js';
import { renderWebhook } from './render.js';
import { sign } from './sign.js';

export type WebhookConfig = Extract<ChannelConfig, { type: 'webhook' }>;

/** The message as JSON, for programs. */
export const webhook: Channel<WebhookConfig> = {
  audience: 'team',
  attemptLimitMs: HTTP_ATTEMPT_LIMIT_MS,
  prepare(parcel) {
    const body = renderWebhook(parcel);
    return {
      destination: `webhook ${shownAddress(parcel.channel.url)}`,
      receiver: `webhook ${shownAddress(parcel.channel.url)}`,
      preview: [
        { part: 'webhook-id', text: webhookId(parcel.request.effectKey) },
        { part: 'body', text: JSON.stringify(body, null, 2) },
      ],
      send: (world) => sendToWebhook(JSON.stringify(body), parcel, world),
    };
  },
};

/** Posts it, signed anew at each attempt and under the same id, by which the receiver knows a message it has already. */
export async function sendToWebhook(
  body: string,
  parcel: Parcel<WebhookConfig>,
  world: DeliveryWorld,
): Promise<DeliveryAnswer> {
  const { channel, request } = parcel;
  const read = async (written: string | undefined) => (written === undefined ? undefined : world.secret(written));
  const [url, token, ca] = [await world.secret(channel.url), await read(channel.token), await read(channel.ca)];
  const signed = await sign({ id: webhookId(request.effectKey), atMs: world.nowMs(), body }, channel, world);
  const answer = await postJson(
    {
      url,
      body,
      headers: { ...signed.headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      secrets: [...signed.secrets, ...(SECRET.test(channel.url) ? [url] : []), ...(token === undefined ? [] : [token])],
      ca,
    },
    parcel,
    world,
  );
  const refusal = refusalOf('the webhook', answer, world.nowMs());
  if (refusal) return refusal;
  return {
    delivered: true,
    detail: `taken by the webhook${answer.kind === 'answered' ? ` with ${answer.status}` : ''}`,
  };
}

/**
 * The effect key as `webhook-id`: the same on every attempt. A full stop separates the id from what follows it in the signed
 * text, so there is none in it, and a header holds plain characters only; both stand as in a URL.
 */
export function webhookId(effectKey: string): string {
  return effectKey
    .toWellFormed()
    .replace(/\.|[^\x21-\x7e]/gu, (char) => (char === '.' ? '%2E' : encodeURIComponent(char)));
}
