import type { ChannelConfig, ChannelType } from '#config/sections/teams.js';
import type { Channel } from '../channel.js';
import { email } from './email/channel.js';
import { inbox } from './inbox/channel.js';
import { pagerduty } from './pagerduty/channel.js';
import { slack } from './slack/channel.js';
import { webhook } from './webhook/channel.js';

type ChannelOf<Type extends ChannelType> = Channel<Extract<ChannelConfig, { type: Type }>>;

export const CHANNELS: { [Type in ChannelType]: ChannelOf<Type> } = {
  email,
  slack,
  pagerduty,
  webhook,
  inbox,
};

/** The channel that a configuration asks for. */
export function channelOf(config: ChannelConfig): Channel<ChannelConfig> {
  // Sound because each entry of the record takes exactly the configuration of its own type.
  return CHANNELS[config.type];
}
