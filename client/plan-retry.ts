import type { ActionPlan } from '#contract/actions/index.js';
import type {
  ActionResult,
  DeliveryRecord,
  Launch,
  LaunchedAgent,
  RemediationProgress,
  StartedAgent,
} from '#contract/remediation.js';

export interface RetryOf {
  /** What the next run is told of this one: what is done, which deliveries of a notification are, and which agents have ended. */
  earlier: ActionResult[];
  /** The actions that run again. */
  again: string[];
}

type ActionState = RemediationProgress['actions'][number];

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
  for (const plan of actions) {
    const { name, onlyIf, refused } = plan;
    // The limit that refused it holds for this firing.
    const after = lookedAt(plan, actions);
    const state = states.find(({ action }) => action === name);
    const isToBeAskedAgain =
      refused === undefined && onlyIf !== undefined && after !== undefined && again.includes(after);
    if (state?.status === 'executed' || (state?.status === 'skipped' && !isToBeAskedAgain)) {
      earlier.push(state);
      continue;
    }
    again.push(name);
    // This run may have been aborted before it came to what the one before it has delivered.
    const deliveries = deliveredIn([...deliveriesOf(name, before), ...(state?.deliveries ?? [])]);
    if (state && deliveries.length > 0) earlier.push({ ...notDone(state), deliveries });
    earlier.push(...endedAgents(name, state, before));
  }
  return { earlier, again };
}

/** The action before it, past those that are not run in any case. */
function lookedAt({ after }: ActionPlan, actions: ActionPlan[]): string | undefined {
  const before = actions.find(({ name }) => name === after);
  return before?.refused === undefined ? after : lookedAt(before, actions);
}

function deliveriesOf(action: string, results: readonly ActionResult[]): DeliveryRecord[] {
  return results.flatMap((one) => (one.action === action ? (one.deliveries ?? []) : []));
}

/** What was skipped counts as done, and this is to run again. */
function notDone(state: ActionState): ActionResult {
  const result = resultOf(state);
  return result.status === 'skipped' ? { ...result, status: 'aborted' } : result;
}

/** Of one that was cut short there is no result yet. */
function resultOf(state: ActionState): ActionResult {
  return 'attempts' in state ? state : { action: state.action, type: state.type, status: 'aborted', attempts: 0 };
}

/**
 * All that are known to have ended, oldest first: the key of each is used up, also for a launcher of another name. Where the
 * newest end is not known, its key is to be used once more.
 */
function endedAgents(action: string, state: ActionState | undefined, before: readonly ActionResult[]): ActionResult[] {
  const known = before.filter((one) => one.action === action && one.status === 'failed' && one.agent !== undefined);
  if (!state) return known;
  const { type, attempts } = resultOf(state);
  const ended = launchedAgents(state).filter(hasEndedBadly);
  return [
    ...known.filter((one) => ended.every(({ launcher, agent }) => !isSame({ launcher, ...agent }, one.agent))),
    ...ended.map(({ launcher, agent }) => ({
      action,
      type,
      status: 'failed' as const,
      attempts,
      agent: { launcher, ...agent },
    })),
  ];
}

function isSame(one: StartedAgent, other: StartedAgent | undefined): boolean {
  return one.launcher === other?.launcher && one.session === other.session;
}

interface Launched {
  launcher: string;
  status: Launch['status'];
  agent: LaunchedAgent;
}

function launchedAgents({ launches = [] }: ActionState): Launched[] {
  return launches.flatMap(({ launcher, status, agent }) => (agent ? [{ launcher, status, agent }] : []));
}

/** One that nobody has heard of within its time limit may go on: its launcher has not failed, only the action has. */
function hasEndedBadly({ status, agent }: Launched): boolean {
  return agent.outcome === 'failed' || (agent.outcome === 'timeout' && status === 'failed');
}

/** Who has got a message by what one run or several have on record, each once. */
export function deliveredIn(records: DeliveryRecord[]): DeliveryRecord[] {
  const delivered = records.filter(({ status }) => status === 'delivered');
  return [...new Map(delivered.map((record) => [record.delivery, record])).values()];
}
