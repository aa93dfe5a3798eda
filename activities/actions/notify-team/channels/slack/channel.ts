import type { ChannelConfig } from '#config/sections/teams.js';
import { type Channel, HTTP_ATTEMPT_LIMIT_MS } from '../../channel.js';
import { dumpOf } from './dump.js';
import { renderSlack } from './render.js';
import { sendToSlack } from './send.js';

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
