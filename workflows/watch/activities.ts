import { proxyActivities } from '@temporalio/workflow';
import type { WatchActivities } from '#contract/activities.js';

// What the watch asks of the world. None of it is a local activity: those run before the task that asks for them is committed.
// A worker that dies in between leaves remediations of which the watch knows nothing, and which it may judge otherwise the next
// time. The server hands out these only when what was judged stands in the history.

/** Rules are read anew and matched in a moment; should that hang, the events are held. */
export const { matchEvents } = proxyActivities<Pick<WatchActivities, 'matchEvents'>>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '2 seconds', maximumAttempts: 3 },
  summary: 'loads the rules and matches a batch of events',
});

/** For as long as the server cannot be reached: guards are armed, so giving up would lose what is to be started. */
const UNTIL_STARTED = {
  startToCloseTimeout: '60 seconds',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
} as const;

export const { startRemediations } = proxyActivities<Pick<WatchActivities, 'startRemediations'>>({
  ...UNTIL_STARTED,
  summary: 'starts the remediations of the rules that fired',
});

export const { startNotices } = proxyActivities<Pick<WatchActivities, 'startNotices'>>({
  ...UNTIL_STARTED,
  summary: 'starts messages: digests, alerts that are over',
});

/** Retried by the server for as long as it takes: attempts cost no history, and the UI shows the last problem. */
export const { awaitRules } = proxyActivities<Pick<WatchActivities, 'awaitRules'>>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 seconds' },
  summary: 'waits until the rules file can be read',
});
