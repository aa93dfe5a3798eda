import type { MeshConfig } from '#config/mesh-config.js';
import type { ChannelConfig, ChannelType } from '#config/sections/teams.js';
import type { DeliveryRequest } from '#contract/notification.js';
import type { Channel, Parcel } from '../channel.js';
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

/** What a delivery means by the configuration as it is now; `gone`: what of it is not there. */
export function findParcel(config: MeshConfig, request: DeliveryRequest): Parcel<ChannelConfig> | { gone: string } {
  const { team: teamName, channel: channelName, recipient } = request;
  const team = Object.hasOwn(config.teams, teamName) ? config.teams[teamName] : undefined;
  if (!team) return { gone: `mesh.yaml has no team ${teamName}` };
  const channel = team.channels.find(({ name }) => name === channelName);
  if (!channel) return { gone: `team ${teamName} has no channel ${channelName} in mesh.yaml` };
  const parcel = { channel, team: teamName, request, config };

  const { audience, lacks } = channelOf(channel);
  if (audience === 'team') return parcel;
  const member = team.members.find(({ name }) => name === recipient);
  if (!member) return { gone: `team ${teamName} has no member ${recipient} in mesh.yaml` };
  const lacking = lacks?.(member, channel);
  return lacking === undefined ? { ...parcel, member } : { gone: `${recipient} is without ${lacking} in mesh.yaml` };
}
