import type { ActionPlan, ActionType } from '#contract/actions/index.js';
import { tellNotifyTeam } from './notify-team/tell.js';
import { tellSpawnFallbackAgent } from './spawn-fallback-agent/tell.js';
import type { Teller } from './tell.js';
import { tellWarmRemoteCapacity } from './warm-remote-capacity/tell.js';

/** An action that is not in here only helps. */
const TELLERS: { [Type in ActionType]?: Teller<Extract<ActionPlan, { type: Type }>> } = {
  spawn_fallback_agent: tellSpawnFallbackAgent,
  notify_team: tellNotifyTeam,
  warm_remote_capacity: tellWarmRemoteCapacity,
};

export function tellerOf(type: ActionType): Teller<ActionPlan> {
  return TELLERS[type] ?? { part: 'helps' };
}
