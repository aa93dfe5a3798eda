import { type ActivityInterfaceFor, proxyActivities } from '@temporalio/workflow';
import type { LeaseActivities } from '#contract/activities.js';
import { type Lease, LEASE_ATTEMPT_MS } from '#contract/lease.js';
import { activityOptions } from './actions/activity-options.js';

const RETRY = { initialIntervalMs: 1_000, maxIntervalMs: 60_000 };

/** What a lease asks of its target, retried until `withinMs` is over. The Temporal UI shows `doing` beside it. */
export function leaseActivities(
  { environment }: Lease,
  doing: string,
  withinMs: number,
): ActivityInterfaceFor<LeaseActivities> {
  return proxyActivities<LeaseActivities>({
    ...activityOptions({ name: environment, timeoutMs: LEASE_ATTEMPT_MS, retry: RETRY }, doing),
    scheduleToCloseTimeout: withinMs,
  });
}
