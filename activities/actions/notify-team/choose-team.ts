import type { MeshConfig } from '../../../config/mesh-config.js';
import type { Team } from '../../../config/sections/teams.js';
import { visible } from '../../../contract/plain-text.js';

export interface ChosenTeam {
  name: string;
  team: Team;
}

const MAX_NAME_CHARS = 100;

/** The first team that is named: by the action, then by the event, then by the configuration. */
export function chooseTeam(
  { teams, notify }: MeshConfig,
  named: { byAction?: string | undefined; byEvent?: string | undefined },
): ChosenTeam | { reason: string } {
  const name = named.byAction ?? named.byEvent ?? notify.defaultTeam;
  if (name === undefined) return { reason: 'No team context is available for notify_team action' };
  const team = Object.hasOwn(teams, name) ? teams[name] : undefined;
  return team ? { name, team } : { reason: `Team file not found for team ${visible(name.slice(0, MAX_NAME_CHARS))}` };
}
