import { ActivityCancellationType, proxyActivities, sleep } from '@temporalio/workflow';
import type { WatchActivities } from '../contract/activities.js';

/** Events wait while the rules cannot be had: nothing is judged by guess and nothing is lost. */
export interface Hold {
  sinceAt: number;
  problems: string[];
  /** How long one that follows it waits before it asks for the rules. */
  nextPauseMs: number;
  isOver: boolean;
}

const { awaitRules } = proxyActivities<Pick<WatchActivities, 'awaitRules'>>({
  startToCloseTimeout: '30 seconds',
  // Retried by the server for as long as it takes: attempts cost no history, and the UI shows the last problem.
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 seconds' },
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  summary: 'waits until the rules file can be read',
});

/**
 * Starts waiting for the rules; the hold says when it is over. Another worker than the one that judges may find them: then
 * this hold follows the one before, and waits longer each time, so that the two do not chase each other.
 */
export function startHold(tenant: string, problems: string[], before: Hold | undefined): Hold {
  const pauseMs = before?.nextPauseMs ?? 0;
  const nextPauseMs = Math.min(Math.max(pauseMs * 2, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
  const hold: Hold = { sinceAt: before?.sinceAt ?? Date.now(), problems, nextPauseMs, isOver: false };
  void waitForRules(tenant, hold, pauseMs);
  return hold;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

async function waitForRules(tenant: string, hold: Hold, pauseMs: number): Promise<void> {
  try {
    if (pauseMs > 0) await sleep(pauseMs, { summary: 'looks at the rules again' });
    await awaitRules(tenant);
  } catch {
    // Whatever went wrong, the next look at the rules decides.
  }
  hold.isOver = true;
}
