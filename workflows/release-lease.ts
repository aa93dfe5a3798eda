import { CancellationScope, condition, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { ActionReport, LeaseActivities } from '../contract/activities.js';
import type { Lease } from '../contract/lease.js';
import { activityOptions } from './actions/activity-options.js';

/** Capacity that nobody gives back costs money, so this is tried for a day. */
const RELEASE_WITHIN_MS = 86_400_000;
const TIMEOUT_MS = 30_000;
const RETRY = { initialIntervalMs: 1_000, maxIntervalMs: 60_000 };

/**
 * Gives the capacity back. When somebody asks for it meanwhile this is called off; where it was given back before that could
 * be, the one who asked has it raised again.
 */
export async function releaseUnless(isCalledOff: () => boolean, lease: Lease): Promise<ActionReport | 'called off'> {
  const { releaseCapacity } = proxyActivities<LeaseActivities>({
    ...activityOptions({ name: lease.environment, timeoutMs: TIMEOUT_MS, retry: RETRY }, 'give capacity back'),
    scheduleToCloseTimeout: RELEASE_WITHIN_MS,
  });
  const releasing = new CancellationScope();
  void condition(isCalledOff).then(() => releasing.cancel());
  try {
    const report = await releasing.run(() => releaseCapacity(lease));
    return isCalledOff() ? 'called off' : report;
  } catch (error) {
    if (isCalledOff() && isCancellation(error)) return 'called off';
    throw error;
  }
}
