import type { ActionPlan, ActionType } from '#contract/actions/index.js';
import type { ActionRun, Outcome, Runner } from './action-run.js';
import { runNotifyTeam } from './notify-team/run.js';
import { runSpawnFallbackAgent } from './spawn-fallback-agent/run.js';
import { runWarmRemoteCapacity } from './warm-remote-capacity/run.js';

/** How each type of action is run: a new type does not compile until it stands here. See docs/adding-an-action.md. */
const RUNNERS: { [Type in ActionType]: Runner<Extract<ActionPlan, { type: Type }>> } = {
  spawn_fallback_agent: runSpawnFallbackAgent,
  notify_team: runNotifyTeam,
  warm_remote_capacity: runWarmRemoteCapacity,
};

export function act(run: ActionRun<ActionPlan>): Promise<Outcome> {
  // The table pairs each type with a runner of its plans, which the compiler cannot follow through a union.
  const runner = RUNNERS[run.plan.type] as Runner<ActionPlan>;
  return runner(run);
}
