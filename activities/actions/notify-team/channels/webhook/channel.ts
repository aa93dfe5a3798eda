import type { ChannelConfig } from '#config/sections/teams.js';
import { shownAddress } from '#activities/shown-address.js';
import { type Channel, HTTP_ATTEMPT_LIMIT_MS } from '../../channel.js';
import { renderWebhook } from './render.js';
import { sendToWebhook } from './send.js';
import { webhookId } from './webhook-id.js';

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
