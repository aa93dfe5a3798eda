import { didYouMean } from '#contract/text/nearest.js';
import { formatPath, type Problem } from '#contract/text/problem.js';
import type { Rule, Ruleset } from '#contract/ruleset.js';

/** What `mesh.yaml` has that rules count on. */
export interface KnownNames {
  /** The names of the members of each team. */
  members: Readonly<Record<string, readonly string[]>>;
  defaultTeam?: string | undefined;
  agents: readonly string[];
  /** Also one that is switched off: whoever reads the file sees that. */
  hasBridge: boolean;
}

/** What rules name, or need, and `mesh.yaml` does not have. */
export function nameWarnings(ruleset: Ruleset, known: KnownNames): Problem[] {
  return [...teamWarnings(ruleset, known), ...agentWarnings(ruleset, known), ...capacityWarnings(ruleset, known)];
}

type KnownTeams = Pick<KnownNames, 'members' | 'defaultTeam'>;
type NotifyTeam = Extract<Rule['actions'][number], { type: 'notify_team' }>;

/** Names in rules that `mesh.yaml` does not know: nobody of such a team would be told, and nobody would notice. */
function teamWarnings(ruleset: Ruleset, known: KnownTeams): Problem[] {
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

const DEFAULT = 'default';

/** Agent types in rules that `mesh.yaml` does not have: another program is started than was meant, or none. */
function agentWarnings(ruleset: Ruleset, { agents }: Pick<KnownNames, 'agents'>): Problem[] {
  const instead = agents.includes(DEFAULT) ? `"${DEFAULT}" is started in its place` : 'nothing is started';
  return actionsThatMayRun(ruleset, 'spawn_fallback_agent').flatMap(({ action, at }) => {
    const { agentType = DEFAULT } = action;
    if (agents.includes(agentType)) return [];
    const message = `mesh.yaml has no agent "${agentType}": ${instead}`;
    const hint = didYouMean(agentType, agents, `agents there: ${agents.join(', ') || 'none'}`);
    return [{ path: at('agentType'), message, hint }];
  });
}

/** Rules that want capacity where nothing can provide it: the action is skipped each time, which is easily overlooked. */
function capacityWarnings(ruleset: Ruleset, { hasBridge }: Pick<KnownNames, 'hasBridge'>): Problem[] {
  if (hasBridge) return [];
  const message = 'mesh.yaml has no bridge: this action is always skipped';
  const hint = 'set bridge in mesh.yaml; until then it is a safe no-op';
  return actionsThatMayRun(ruleset, 'warm_remote_capacity').map(({ at }) => ({ path: at(), message, hint }));
}

type Action = Rule['actions'][number];

/** The actions of one type, each with the way to say where in the ruleset it stands. */
function actionsThatMayRun<T extends Action['type']>(
  ruleset: Ruleset,
  type: T,
): { action: Extract<Action, { type: T }>; at: (...path: PropertyKey[]) => string }[] {
  const isMeant = (action: Action): action is Extract<Action, { type: T }> => action.type === type && action.enabled;
  return ruleset.rules.flatMap((rule, index) =>
    (mayFire(rule) ? rule.actions : []).flatMap((action, place) => {
      const at = (...path: PropertyKey[]) => formatPath(['rules', index, 'actions', place, ...path]);
      return isMeant(action) ? [{ action, at }] : [];
    }),
  );
}

/** Nobody need be warned of what a rule that is off would do. */
function mayFire({ enabled, mode }: Rule): boolean {
  return enabled && mode !== 'off';
}
