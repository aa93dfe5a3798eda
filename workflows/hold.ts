import { ActivityCancellationType, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { WatchActivities } from '../contract/activities.js';

/** Events wait while the rules cannot be had: nothing is judged by guess and nothing is lost. */
export interface Hold {
  sinceAt: number;
  problems: string[];
  isOver: boolean;
}

const { awaitRules } = proxyActivities<Pick<WatchActivities, 'awaitRules'>>({
  startToCloseTimeout: '30 seconds',
  // Retried by the server for as long as it takes: attempts cost no history, and the UI shows the last problem.
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 seconds' },
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  summary: 'waits until the rules file can be read',
});

/** Starts waiting for the rules; the hold says when it is over. */
export function startHold(tenant: string, problems: string[], now: number): Hold {
  const hold: Hold = { sinceAt: now, problems, isOver: false };
  void waitForRules(tenant, hold);
  return hold;
}

async function waitForRules(tenant: string, hold: Hold): Promise<void> {
  try {
    await awaitRules(tenant);
  } catch (error) {
    if (isCancellation(error)) return;
    // Whatever went wrong, the next look at the rules decides.
  }
  hold.isOver = true;
}
