import { formatPath, type Problem } from '#contract/text/problem.js';
import type { Team } from './sections/teams.js';

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
