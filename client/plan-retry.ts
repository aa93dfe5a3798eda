import type { ActionPlan } from '../contract/actions/index.js';
import type { ActionResult, RemediationProgress } from '../contract/remediation.js';

export interface RetryOf {
  /** What the next run is told of this one: what is done, which deliveries of a notification are, and which agents have ended. */
  earlier: ActionResult[];
  /** The actions that run again. */
  again: string[];
}

type State = RemediationProgress['actions'][number];

/**
 * What a retry runs again: whatever is not done, and what was skipped because of how such an action had ended. `before`: what
 * this run was told of the ones before it, when it was a retry itself.
 */
export function planRetry(
  actions: ActionPlan[],
  { actions: states }: RemediationProgress,
  before: readonly ActionResult[] = [],
): RetryOf {
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
    if (state && deliveries.length > 0) earlier.push({ ...cutShort(state), deliveries });
    earlier.push(...endedAgents(name, state, before));
  }
  return { earlier, again };
}

/** Of one that was cut short there is no result yet. */
function cutShort(state: State): ActionResult {
  return 'attempts' in state ? state : { action: state.action, type: state.type, status: 'aborted', attempts: 0 };
}

/** The last of each launcher that is known to have ended: where the newest end is not known, its key is to be used once more. */
function endedAgents(action: string, state: State | undefined, before: readonly ActionResult[]): ActionResult[] {
  const known = before.filter((one) => one.action === action && one.status === 'failed' && one.agent !== undefined);
  if (!state?.agent || !hasEndedBadly(state)) return known;
  const { launcher, id, session, outcome } = state.agent;
  const agent = { launcher, ...(id !== undefined && { id }), ...(session !== undefined && { session }), outcome };
  return [
    ...known.filter((one) => one.agent?.launcher !== launcher),
    { action, type: state.type, status: 'failed', attempts: cutShort(state).attempts, agent },
  ];
}

/** One that nobody has heard of within its time limit may go on: its launcher has not failed, only the action has. */
function hasEndedBadly({ status, agent, launches = [] }: State): boolean {
  if (status !== 'failed') return false;
  const launch = launches.findLast(({ launcher }) => launcher === agent?.launcher);
  return agent?.outcome === 'failed' || (agent?.outcome === 'timeout' && launch?.status === 'failed');
}
