import type { LeaseActivities } from '#contract/activities.js';
import { loadConfig } from '../../load-config.js';
import { atTarget, type LeasePorts, skipped } from './at-target.js';
import { REASONS } from './reasons.js';

/** Asks once more for what a lease keeps. Capacity that is still there is not changed, so this can be done at any time. */
export function makeReacquireCapacity(world: LeasePorts): LeaseActivities['reacquireCapacity'] {
  return async (lease) => {
    const config = await loadConfig(world.config);
    const { bridge, policy } = config;
    if (!policy.allowRemoteSessions) return skipped(REASONS.blockedByPolicy);
    if (!bridge?.enabled) return skipped(REASONS.notActive);

    const whatFailed = 'Remote capacity could not be re-acquired';
    return atTarget(world, { config, bridge, lease, whatFailed }, async (target, signal) => {
      const restorePoint = await target.reacquire(lease, signal);
      const detail = `Remote capacity of environment ${lease.environment} was asked for again`;
      return { status: 'executed', detail, ...(restorePoint && { restorePoint }) };
    });
  };
}
