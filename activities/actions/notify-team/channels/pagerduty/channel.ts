import type { ChannelConfig } from '#config/sections/teams.js';
import { type Channel, HTTP_ATTEMPT_LIMIT_MS } from '../../channel.js';
import { renderPagerDuty } from './render.js';
import { sendToPagerDuty } from './send.js';

export type PagerDutyConfig = Extract<ChannelConfig, { type: 'pagerduty' }>;

/** An alert of PagerDuty. It stays open until somebody, or a later success, resolves it. */
export const pagerduty: Channel<PagerDutyConfig> = {
  audience: 'team',
  attemptLimitMs: HTTP_ATTEMPT_LIMIT_MS,
  refusesDigests: true,
  opensAlerts: ({ resolveOn }) => resolveOn !== undefined,
  prepare(parcel) {
    const event = renderPagerDuty(parcel);
    return {
      destination: `PagerDuty at ${parcel.channel.url}, routing key ${parcel.channel.routingKey}`,
      receiver: `PagerDuty at ${parcel.channel.url}`,
      preview: [{ part: 'body', text: JSON.stringify({ routing_key: parcel.channel.routingKey, ...event }, null, 2) }],
      send: (world) => sendToPagerDuty(event, parcel, world),
    };
  },
};
