import type { ChannelConfig, Member } from '../../../config/sections/teams.js';
import type { IncidentSubject, PlannedDelivery } from '../../../contract/notification.js';
import { channelOf } from './channels/index.js';
import type { ChosenTeam } from './choose-team.js';

export interface Wanted {
  /** Names of members; none, or one of them `*`: everyone but the sender. */
  recipients?: string[] | undefined;
  sender?: string | undefined;
  incident?: IncidentSubject | undefined;
  isDigest?: true;
}

export interface DeliveryPlan {
  deliveries: PlannedDelivery[];
  /** Who is not told, and why. */
  note?: string;
}

/**
 * Who is told through which channel. A rule or an event may choose among names and never adds one: addresses stand in the
 * configuration only. A channel of the team as a whole is used whoever is named.
 */
export function planDeliveries({ name: team, team: { members, channels } }: ChosenTeam, wanted: Wanted): DeliveryPlan {
  const { chosen, unknown } = chooseMembers(members, wanted);
  const notes = unknown.length === 0 ? [] : [`not in the team: ${unknown.join(', ')}`];

  const deliveries = channels.flatMap((channel) => {
    const { audience, lacks, refusesDigests } = channelOf(channel);
    if (wanted.isDigest && refusesDigests) {
      notes.push(`no digest through ${channel.name}: it would open an alert`);
      return [];
    }
    const delivery = planner(team, channel, wanted.incident);
    if (audience === 'team') return [delivery(team)];
    const lacking = chosen.map(({ name, ...member }) => ({ name, what: lacks?.({ name, ...member }, channel) }));
    for (const { name, what } of lacking) if (what !== undefined) notes.push(`without ${what}: ${name}`);
    return lacking.filter(({ what }) => what === undefined).map(({ name }) => delivery(name));
  });
  return { deliveries, ...(notes.length > 0 && { note: notes.join('; ') }) };
}

function chooseMembers(
  members: Member[],
  { recipients = [], sender }: Wanted,
): { chosen: Member[]; unknown: string[] } {
  if (recipients.length === 0 || recipients.includes('*')) {
    return { chosen: members.filter(({ name }) => name !== sender), unknown: [] };
  }
  const known = new Set(members.map(({ name }) => name));
  return {
    chosen: members.filter(({ name }) => recipients.includes(name)),
    unknown: [...new Set(recipients)].filter((name) => !known.has(name)),
  };
}

function planner(team: string, channel: ChannelConfig, incident: IncidentSubject | undefined) {
  const opens = incident !== undefined && channelOf(channel).opensIncidents?.(channel) === true;
  return (recipient: string): PlannedDelivery => ({
    delivery: `${channel.name}/${recipient}`,
    team,
    channel: channel.name,
    recipient,
    ...(opens && { incident }),
  });
}
