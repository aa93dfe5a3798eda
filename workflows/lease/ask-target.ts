import { type ActivityInterfaceFor, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { ActionReport, LeaseActivities } from '#contract/activities.js';
import { type Lease, LEASE_ATTEMPT_MS, type RestorePoint } from '#contract/lease.js';
import { activityOptions } from '../actions/activity-options.js';
import { resultOfFailure } from '../actions/failure-result.js';

/** Capacity that nobody gives back costs money, so this is tried for a day. */
const RELEASE_WITHIN_MS = 24 * 3_600_000;

/** Gives the capacity back, and says why where it could not. */
export async function release(lease: Lease): Promise<ActionReport | { problem: string }> {
  const { releaseCapacity } = leaseActivities(lease, 'give capacity back', RELEASE_WITHIN_MS);
  try {
    return await releaseCapacity(lease);
  } catch (error) {
    return { problem: resultOfFailure(error).reason ?? 'failed' };
  }
}

export interface Reacquired {
  restorePoint?: RestorePoint;
  /** Why the capacity could not be re-acquired. */
  problem?: string;
}

/**
 * Takes the capacity again, trying for as long as it is wanted. The lease goes on even if that fails, because whatever is there
 * must still be given back. A cancellation of the lease ends this, and the lease then gives back.
 */
export async function reacquire(lease: Lease): Promise<Reacquired> {
  const withinMs = Math.max(lease.untilAt - Date.now(), LEASE_ATTEMPT_MS);
  const { reacquireCapacity } = leaseActivities(lease, 're-acquire capacity', withinMs);
  try {
    const { status, reason, restorePoint } = await reacquireCapacity(lease);
    if (status === 'skipped') return { problem: reason ?? 'skipped' };
    return restorePoint ? { restorePoint } : {};
  } catch (error) {
    if (isCancellation(error)) return {};
    return { problem: resultOfFailure(error).reason ?? 'failed' };
  }
}

const RETRY = { initialIntervalMs: 1_000, maxIntervalMs: 60_000 };

/** Retried until `withinMs` is over. The Temporal UI shows `doing` beside it. */
function leaseActivities(
  { environment }: Lease,
  doing: string,
  withinMs: number,
): ActivityInterfaceFor<LeaseActivities> {
  return proxyActivities<LeaseActivities>({
    ...activityOptions({ name: environment, timeoutMs: LEASE_ATTEMPT_MS, retry: RETRY }, doing),
    scheduleToCloseTimeout: withinMs,
  });
}
