import type { ActionPlan } from '../contract/actions/index.js';
import type { ActionResult, RemediationProgress } from '../contract/remediation.js';

export interface RetryOf {
  /** What the next run is told of this one: what is done, and which deliveries of a notification are. */
  earlier: ActionResult[];
  /** The actions that run again. */
  again: string[];
}

/** What a retry runs again: whatever is not done, and what was skipped because of how such an action had ended. */
export function planRetry(actions: ActionPlan[], { actions: states }: RemediationProgress): RetryOf {
  const again: string[] = [];
  const earlier: ActionResult[] = [];
  for (const { name, onlyIf, after } of actions) {
    const state = states.find(({ action }) => action === name);
    const isToBeAskedAgain = onlyIf !== undefined && after !== undefined && again.includes(after);
    if (state?.status === 'executed' || (state?.status === 'skipped' && !isToBeAskedAgain)) {
      earlier.push(state);
      continue;
    }
    again.push(name);
    const deliveries = state?.deliveries?.filter(({ status }) => status === 'delivered') ?? [];
    if (state && deliveries.length > 0) earlier.push(withDeliveries(state, deliveries));
  }
  return { earlier, again };
}

/** Of one that was cut short there is no result yet. */
function withDeliveries(
  state: RemediationProgress['actions'][number],
  deliveries: NonNullable<ActionResult['deliveries']>,
): ActionResult {
  if ('attempts' in state) return { ...state, deliveries };
  return { action: state.action, type: state.type, status: 'aborted', attempts: 0, deliveries };
}
