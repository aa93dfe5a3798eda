import { ActivityCancellationType, type ActivityOptions, workflowInfo } from '@temporalio/workflow';
import type { ActionPlan } from '#contract/actions/index.js';
import { type ActionQueue, actionQueueOf } from '#contract/names.js';
import type { RetryPlan } from '#contract/remediation.js';
import { summaryOf } from '#contract/text/shorten.js';

/** How the activities of an action are tried, and on which queue. `doing` stands beside them in the Temporal UI. */
export function activityOptions(
  { name, timeoutMs, retry }: Pick<ActionPlan, 'name' | 'timeoutMs' | 'retry'>,
  doing: string,
  queue: ActionQueue = 'agents',
): ActivityOptions {
  return {
    taskQueue: actionQueueOf(workflowInfo().taskQueue, queue),
    // The activity keeps its own time limit and says so; this one is for a worker that no longer can.
    startToCloseTimeout: timeoutMs + TIMEOUT_GRACE_MS,
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    retry: retryPolicy(retry),
    // An abort is over when the agent's processes are gone, not when they were asked to go.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: summaryOf(`${doing} (${name})`),
  };
}

/** Time for a process group to be ended after the limit. */
export const TIMEOUT_GRACE_MS = 15_000;
/** A worker that dies is noticed after this long, and the action is tried again elsewhere. */
const HEARTBEAT_TIMEOUT_MS = 10_000;

function retryPolicy({ maxAttempts, initialIntervalMs, maxIntervalMs }: RetryPlan): ActivityOptions['retry'] {
  return {
    ...(maxAttempts !== undefined && { maximumAttempts: maxAttempts }),
    initialInterval: initialIntervalMs,
    maximumInterval: maxIntervalMs,
    backoffCoefficient: 2,
  };
}
