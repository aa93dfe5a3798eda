import type { ActionPlan } from './actions/index.js';

/** How long an action that is not done yet may hold up the ones after it. */
export const PATIENCE_MS = 30_000;
/** A message mostly takes a second, and waits on a receiver that is in trouble: the next action may be to page somebody. */
export const MESSAGE_PATIENCE_MS = 5_000;

/** How long an action may hold up the next. */
export function patienceMsWith({ type }: Pick<ActionPlan, 'type'>): number {
  return type === 'notify_team' ? MESSAGE_PATIENCE_MS : PATIENCE_MS;
}

/** The rule says that what comes next needs the agent's work to be done. */
export function isAwaited(plan: ActionPlan): boolean {
  return 'await' in plan && plan.await === 'finished';
}
