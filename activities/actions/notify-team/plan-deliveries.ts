import type { ChannelConfig, Member } from '#config/sections/teams.js';
import type { AlertSubject, PlannedDelivery } from '#contract/notification.js';
import { channelOf } from './channels/index.js';
import type { ChosenTeam } from './choose-team.js';

export interface Wanted {
  /** Names of members; none, or one of them `*`: everyone but the sender. */
  recipients?: string[] | undefined;
  sender?: string | undefined;
  alert?: AlertSubject | undefined;
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
export function planDeliveries(team: ChosenTeam, wanted: Wanted): DeliveryPlan {
  const { sender, ...others } = wanted;
  const isLeftOut = isEveryone(wanted) && sender !== undefined && team.team.members.some(({ name }) => name === sender);
  const withoutSender = planAmong(team, wanted);
  if (!isLeftOut) return withoutSender;
  // Anybody may write any name into an event: it must not be the way to have nobody told.
  if (withoutSender.deliveries.length === 0) {
    return withNote(
      planAmong(team, others),
      `${sender} reported it, and is told all the same: nobody else can be told`,
    );
  }
  return withNote(withoutSender, `${sender} left out: reported it`);
}

function withNote({ deliveries, note }: DeliveryPlan, first: string): DeliveryPlan {
  return { deliveries, note: note === undefined ? first : `${first}; ${note}` };
}

function planAmong({ name: team, team: { members, channels } }: ChosenTeam, wanted: Wanted): DeliveryPlan {
  const { chosen, unknown } = chooseMembers(members, wanted);
  const notes = unknown.length === 0 ? [] : [`not in the team: ${unknown.join(', ')}`];

  const deliveries = channels.flatMap((channel) => {
    const { audience, lacks, refusesDigests } = channelOf(channel);
    if (wanted.isDigest && refusesDigests) {
      notes.push(`no digest through ${channel.name}: it would open an alert`);
      return [];
    }
    const delivery = planner(team, channel, wanted.alert);
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
  if (isEveryone({ recipients })) return { chosen: members.filter(({ name }) => name !== sender), unknown: [] };
  const known = new Set(members.map(({ name }) => name));
  return {
    chosen: members.filter(({ name }) => recipients.includes(name)),
    unknown: [...new Set(recipients)].filter((name) => !known.has(name)),
  };
}

function isEveryone({ recipients = [] }: Pick<Wanted, 'recipients'>): boolean {
  return recipients.length === 0 || recipients.includes('*');
}

function planner(team: string, channel: ChannelConfig, alert: AlertSubject | undefined) {
  const opens = alert !== undefined && channelOf(channel).opensAlerts?.(channel) === true;
  return (recipient: string): PlannedDelivery => ({
    delivery: `${channel.name}/${recipient}`,
    team,
    channel: channel.name,
    recipient,
    ...(opens && { alert }),
  });
}
