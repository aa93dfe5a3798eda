import type { MeshConfig } from '#config/mesh-config.js';
import type { Team } from '#config/sections/teams.js';
import { visible } from '#contract/text/plain-text.js';

export interface ChosenTeam {
  name: string;
  team: Team;
  /** Why it is not the one that was named. */
  note?: string;
}

/** Nobody to tell. */
export interface NoTeam {
  /** In the words of the rule format. */
  reason: string;
  /** What to do about it, where the reason does not say. */
  hint?: string;
}

const MAX_NAME_CHARS = 100;

/**
 * The first team that is named: by the action, then by the event, then by the configuration. Agent teams put names of their
 * own into every event; one that is not known here must not keep a rule from telling anybody.
 */
export function chooseTeam(
  { file, teams, notify: { defaultTeam } }: MeshConfig,
  { byAction, byEvent }: { byAction?: string | undefined; byEvent?: string | undefined },
): ChosenTeam | NoTeam {
  const teamOf = (name: string | undefined): ChosenTeam | undefined => {
    const team = name !== undefined && Object.hasOwn(teams, name) ? teams[name] : undefined;
    return name !== undefined && team ? { name, team } : undefined;
  };
  const named = byAction ?? byEvent;
  if (named === undefined) {
    return teamOf(defaultTeam) ?? { reason: 'No team context is available for notify_team action' };
  }
  const known = teamOf(named);
  if (known) return known;
  const shown = visible(named.slice(0, MAX_NAME_CHARS));
  const fallback = byAction === undefined ? teamOf(defaultTeam) : undefined;
  if (!fallback) return notFound(shown, file);
  return { ...fallback, note: `the event names team ${shown}, which is not in mesh.yaml` };
}

/** No team has a file of its own here: whoever goes by the reason alone looks for one. */
function notFound(team: string, file: string): NoTeam {
  return { reason: `Team file not found for team ${team}`, hint: `teams are those under "teams" in ${file}` };
}
