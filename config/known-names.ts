import type { KnownNames } from '#rules/warnings/index.js';
import type { MeshConfig } from './mesh-config.js';

/** What rules may name, and what their actions need. */
export function knownNames({ agents, teams, bridge, notify: { defaultTeam } }: MeshConfig): KnownNames {
  const members = Object.entries(teams).map(
    ([name, team]) => [name, team.members.map((member) => member.name)] as const,
  );
  return {
    members: Object.fromEntries(members),
    defaultTeam,
    agents: Object.keys(agents),
    hasBridge: bridge !== undefined,
  };
}
