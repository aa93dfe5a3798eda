import { didYouMean } from '#contract/text/nearest.js';
import type { Problem } from '#contract/text/problem.js';
import type { Rule, Ruleset } from '#contract/ruleset.js';
import { actionsThatMayRun } from './actions-that-may-run.js';
import type { KnownNames } from './known-names.js';

type KnownTeams = Pick<KnownNames, 'members' | 'defaultTeam'>;
type NotifyTeam = Extract<Rule['actions'][number], { type: 'notify_team' }>;

/** Names in rules that `mesh.yaml` does not know: nobody of such a team would be told, and nobody would notice. */
export function teamWarnings(ruleset: Ruleset, known: KnownTeams): Problem[] {
  return actionsThatMayRun(ruleset, 'notify_team').flatMap(({ action, at }) => [
    ...teamProblems(action, known, at),
    ...recipientProblems(action, known, at('recipients')),
  ]);
}

function teamProblems({ teamName }: NotifyTeam, known: KnownTeams, at: (...path: PropertyKey[]) => string): Problem[] {
  const { members, defaultTeam } = known;
  if (teamName === undefined) {
    if (defaultTeam !== undefined) return [];
    const message = 'names no team, and mesh.yaml has no notify.defaultTeam: only events that name a team tell anybody';
    return [{ path: at(), message, hint: 'set notify.defaultTeam in mesh.yaml, or teamName here' }];
  }
  if (Object.hasOwn(members, teamName)) return [];
  const message = `mesh.yaml has no team "${teamName}": this tells nobody`;
  return [{ path: at('teamName'), message, hint: hintOf(teamName, Object.keys(members), 'teams there') }];
}

/** Without a team of its own an action tells the one that the event names, so a name may be of any team. */
function recipientProblems({ teamName, recipients = [] }: NotifyTeam, known: KnownTeams, path: string): Problem[] {
  if (recipients.includes('*')) return [];
  const isKnown = teamName === undefined || Object.hasOwn(known.members, teamName);
  // Nothing is known of the members of a team that is not there.
  if (!isKnown) return [];
  const members = teamName === undefined ? Object.values(known.members).flat() : (known.members[teamName] ?? []);
  const where = teamName === undefined ? 'no team of mesh.yaml' : `team "${teamName}" of mesh.yaml`;
  return [...new Set(recipients)]
    .filter((name) => !members.includes(name))
    .map((name) => ({
      path,
      message: teamName === undefined ? `${where} has a member "${name}"` : `${where} has no member "${name}"`,
      hint: hintOf(name, members, 'members'),
    }));
}

function hintOf(name: string, there: readonly string[], what: string): string {
  return didYouMean(name, there, `${what}: ${[...new Set(there)].join(', ') || 'none'}`);
}
