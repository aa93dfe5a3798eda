import { ActivityCancellationType, type ActivityOptions, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { WatchActivities } from '../contract/activities.js';
import { watchQueueOf } from '../contract/names.js';

// What the watch asks of the world. None of it is a local activity, for two reasons.
//
// A query that comes while a local activity runs has its result told to the workflow one task later than a replay does. Time,
// flags and signals that came in between differ then, the replay asks for other things than the history holds, and the watch
// stands still for good.
//
// And a local activity runs before the task that asks for it is committed. A worker that dies in between leaves remediations of
// which the watch knows nothing, and which it may judge otherwise the next time. The server hands out these only when what was
// judged stands in the history.

/** Rules are read anew and matched in a moment; should that hang, the events are held. */
export function matching() {
  return on({
    startToCloseTimeout: '10 seconds',
    retry: { initialInterval: '200 milliseconds', maximumInterval: '2 seconds', maximumAttempts: 3 },
    summary: 'loads the rules and matches a batch of events',
  });
}

/** For as long as the server cannot be reached: guards are armed, so giving up would lose what is to be started. */
export function starting(summary: string) {
  return on({
    startToCloseTimeout: '60 seconds',
    heartbeatTimeout: '5 seconds',
    retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
    summary,
  });
}

/** Retried by the server for as long as it takes: attempts cost no history, and the UI shows the last problem. */
export function awaiting() {
  return on({
    startToCloseTimeout: '30 seconds',
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 seconds' },
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    summary: 'waits until the rules file can be read',
  });
}

function on(options: ActivityOptions) {
  return proxyActivities<WatchActivities>({ ...options, taskQueue: watchQueueOf(workflowInfo().taskQueue) });
}
