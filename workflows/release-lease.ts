import { CancellationScope, condition } from '@temporalio/workflow';
import type { ActionReport } from '#contract/activities.js';
import type { Lease } from '#contract/lease.js';
import { resultOfFailure } from './actions/failure-result.js';
import { leaseActivities } from './lease-activities.js';
import { DAY_MS } from './limits.js';

/** Why the capacity could not be given back. */
export interface ReleaseProblem {
  problem: string;
}

/** Gives the capacity back, and says why where it could not. */
export async function release(lease: Lease): Promise<ActionReport | ReleaseProblem> {
  // Capacity that nobody gives back costs money, so this is tried for a day.
  const { releaseCapacity } = leaseActivities(lease, 'give capacity back', DAY_MS);
  try {
    return await releaseCapacity(lease);
  } catch (error) {
    return { problem: resultOfFailure(error).reason ?? 'failed' };
  }
}

/**
 * The same, unless somebody asks for the capacity before that is done. It may be gone by then all the same, so whoever asked must
 * re-acquire it.
 */
export async function releaseUnless(
  isCalledOff: () => boolean,
  lease: Lease,
): Promise<ActionReport | ReleaseProblem | 'called off'> {
  const releasing = new CancellationScope();
  void condition(isCalledOff).then(() => releasing.cancel());
  // The attempt under way is waited for, however it ends. What is wrong with it comes up again at the new end.
  const ended = await releasing.run(() => release(lease));
  return isCalledOff() ? 'called off' : ended;
}
