import { z } from 'zod';
import { MAX_RECEIVERS } from '#contract/limits.js';
import { formatPath, type Problem } from '#contract/text/problem.js';
import { listOf, strict } from '#contract/text/schema-words.js';
import { Channel, type ChannelType, inboxProblems } from './channels.js';
import { Name } from './words.js';

export type { ChannelConfig, ChannelType } from './channels.js';

const Member = strict({ name: Name, email: z.email({ error: 'a mail address' }).optional() });
export type Member = z.output<typeof Member>;

const Team = strict({
  members: listOf(Member, 'a list of members').min(1, { error: 'at least one member' }),
  /** Every one of them is used, in this order. */
  channels: listOf(Channel, 'a list of channels')
    .min(1, { error: 'at least one channel' })
    .default([{ type: 'email', name: 'email' }]),
});
export type Team = z.output<typeof Team>;

export const Teams = z.record(Name, Team, { error: 'an object of team name to team' }).default({});

/** Two members or two channels of one name could not be told apart in records, nor by a rule; a message has a most of receivers. */
export function teamProblems(teams: z.output<typeof Teams>): Problem[] {
  const ofEachTeam = Object.entries(teams).flatMap(([team, { members, channels }]) => [
    ...duplicates(members).map(({ name, index }) => ({
      path: formatPath(['teams', team, 'members', index, 'name']),
      message: `duplicate member "${name}"`,
    })),
    ...duplicates(channels).map(({ name, index }) => ({
      path: formatPath(['teams', team, 'channels', index]),
      message: `duplicate channel "${name}"`,
      hint: 'give one of them a name of its own',
    })),
  ]);
  return [...ofEachTeam, ...Object.entries(teams).flatMap(crowdProblem), ...inboxProblems(teams)];
}

/** Channels that bring a message to each member of the team; the others bring it to the team as a whole. */
export const MEMBER_CHANNELS: readonly ChannelType[] = ['email', 'inbox'];

function crowdProblem([team, { members, channels }]: [string, Team]): Problem[] {
  const withEmail = members.filter(({ email }) => email !== undefined).length;
  const receivers = channels.map(({ type }) => {
    if (!MEMBER_CHANNELS.includes(type)) return 1;
    return type === 'email' ? withEmail : members.length;
  });
  const count = receivers.reduce((sum, one) => sum + one, 0);
  if (count <= MAX_RECEIVERS) return [];
  const message = `a message to this team is ${count} deliveries, the most is ${MAX_RECEIVERS}`;
  const hint =
    'use a channel of the team as a whole, such as a mailing list, slack or a webhook, or make several teams';
  return [{ path: formatPath(['teams', team, 'members']), message, hint }];
}

function duplicates(named: { name: string }[]): { name: string; index: number }[] {
  const names = named.map(({ name }) => name);
  return names.flatMap((name, index) => (names.indexOf(name) === index ? [] : [{ name, index }]));
}

/** Teams that are to get mails, also because they name no channel at all, and of which nobody has an address. */
export function maillessTeams(teams: Readonly<Record<string, Team>>): Problem[] {
  return Object.entries(teams).flatMap(([team, { members, channels }]) => {
    const channel = channels.find(({ type }) => type === 'email');
    if (channel === undefined || members.some(({ email }) => email !== undefined)) return [];
    const message = `no member has an email: the channel "${channel.name}" reaches nobody`;
    const hint = 'give each member an email, or the team other channels';
    return [{ path: formatPath(['teams', team, 'members']), message, hint }];
  });
}
