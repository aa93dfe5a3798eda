import { z } from 'zod';
import { NotifyTeam, notifyDefaults } from './notify-team/schema.js';
import type { ActionDefaults, PlanOf } from './of-every-action.js';
import { SpawnFallbackAgent, spawnDefaults } from './spawn-fallback-agent/schema.js';
import { WarmRemoteCapacity, warmDefaults } from './warm-remote-capacity/schema.js';

/** Every type of action there is, and all else here follows from it. See docs/adding-an-action.md. */
const ACTIONS = {
  spawn_fallback_agent: { schema: SpawnFallbackAgent, defaults: spawnDefaults },
  notify_team: { schema: NotifyTeam, defaults: notifyDefaults },
  warm_remote_capacity: { schema: WarmRemoteCapacity, defaults: warmDefaults },
};

type Actions = typeof ACTIONS;
type Schema = Actions[ActionType]['schema'];

export type ActionType = keyof Actions;
export type ActionPlan = { [Type in ActionType]: PlanOf<Actions[Type]['schema']> }[ActionType];

export const ACTION_TYPES = Object.keys(ACTIONS) as [ActionType, ...ActionType[]];

export const Action = z.discriminatedUnion(
  'type',
  Object.values(ACTIONS).map(({ schema }) => schema) as [Schema, ...Schema[]],
  { error: (issue) => (issue.code === 'invalid_union' ? `one of ${ACTION_TYPES.join(', ')}` : 'an action object') },
);
export type Action = z.output<typeof Action>;

/** How actions of a type are tried, unless their rule says otherwise. */
export function defaultsOf(type: ActionType): ActionDefaults {
  return ACTIONS[type].defaults;
}
