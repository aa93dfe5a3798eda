import type { MeshConfig } from '#config/mesh-config.js';
import type { ChannelConfig } from '#config/sections/teams.js';
import type { DeliveryRequest } from '#contract/notification.js';
import type { Parcel } from './channel.js';
import { channelOf } from './channels/index.js';

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
