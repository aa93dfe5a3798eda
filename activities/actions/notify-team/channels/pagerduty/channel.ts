import type { ChannelConfig } from '../../../../../config/sections/teams.js';
import type { Channel } from '../../channel.js';
import { renderPagerDuty } from './render.js';
import { sendToPagerDuty } from './send.js';

export type PagerDutyConfig = Extract<ChannelConfig, { type: 'pagerduty' }>;

/** An alert of PagerDuty. It stays open until somebody, or a later success, resolves it. */
export const pagerduty: Channel<PagerDutyConfig> = {
  audience: 'team',
  refusesDigests: true,
  opensIncidents: ({ resolveOn }) => resolveOn !== undefined,
  prepare(parcel) {
    const event = renderPagerDuty(parcel);
    return {
      destination: `PagerDuty at ${parcel.channel.url}, routing key ${parcel.channel.routingKey}`,
      preview: [{ part: 'body', text: JSON.stringify({ routing_key: parcel.channel.routingKey, ...event }, null, 2) }],
      send: (world) => sendToPagerDuty(event, parcel, world),
    };
  },
};
