import type { LeaseActivities } from '#contract/activities.js';
import type { Lease } from '#contract/lease.js';
import { loadConfig } from '../../load-config.js';
import { atTarget, type LeasePorts, skipped } from './at-target.js';
import { failureOf } from './failure-of.js';
import { TargetFailure } from './target.js';

/** Gives back what a lease held. A policy against remote sessions does not forbid that. */
export function makeReleaseCapacity(world: LeasePorts): LeaseActivities['releaseCapacity'] {
  return async (lease) => {
    const config = await loadConfig(world.config);
    const { bridge } = config;
    if (!bridge?.enabled) return withoutBridge(lease);

    return atTarget(world, { config, bridge, lease, whatFailed: WHAT_FAILED }, async (target, signal) => {
      const { isLeftAlone, detail } = await target.release(lease, signal);
      return isLeftAlone ? { status: 'skipped', reason: detail } : { status: 'executed', detail };
    });
  };
}

const WHAT_FAILED = 'Remote capacity was not given back';

/** An HTTP bridge knows until when capacity was asked for. A number that the mesh has raised stays up until somebody lowers it. */
function withoutBridge({ environment, restorePoint }: Lease) {
  if (!restorePoint) return skipped(`Bridge is not active; ${environment} is left as it is`);
  const message = `no bridge is active in mesh.yaml, so ${environment} cannot be lowered to ${restorePoint.originalCount}`;
  // It may be switched on again.
  throw failureOf(new TargetFailure(message, { isFinal: false }), (said) => `${WHAT_FAILED}: ${said}`);
}
