import { z } from 'zod';
import { EmailChannel } from './email.js';
import { InboxChannel } from './inbox.js';
import { PagerDutyChannel } from './pagerduty.js';
import { SlackChannel } from './slack.js';
import { WebhookChannel } from './webhook.js';

// Every type of channel there is. What each does is in activities/actions/notify-team/channels/<type>/.

const CHANNELS = [EmailChannel, SlackChannel, PagerDutyChannel, WebhookChannel, InboxChannel] as const;

export const CHANNEL_TYPES = CHANNELS.map(({ shape }) => shape.type.value);

export const Channel = z.discriminatedUnion('type', CHANNELS, {
  error: (issue) => (issue.code === 'invalid_union' ? `one of ${CHANNEL_TYPES.join(', ')}` : 'a channel object'),
});
export type ChannelConfig = z.output<typeof Channel>;
export type ChannelType = ChannelConfig['type'];
