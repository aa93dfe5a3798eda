import { SECRET } from '#config/secret.js';
import type { DeliveryWorld, Parcel } from '../../channel.js';
import type { DeliveryAnswer } from '#contract/notification.js';
import { postJson, refusalOf } from '../post-json.js';
import type { WebhookConfig } from './channel.js';
import { sign } from './sign.js';
import { webhookId } from './webhook-id.js';

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
