import { isCancellation } from '@temporalio/workflow';
import { type Lease, LEASE_ATTEMPT_MS, type RestorePoint } from '#contract/lease.js';
import { resultOfFailure } from './actions/failure-result.js';
import { leaseActivities } from './lease-activities.js';

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
