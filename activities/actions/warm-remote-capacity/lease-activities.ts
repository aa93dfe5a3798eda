import { Context } from '@temporalio/activity';
import type { MeshConfig } from '#config/mesh-config.js';
import type { Bridge } from '#config/sections/bridge.js';
import type { ActionReport, LeaseActivities } from '#contract/activities.js';
import { type Lease, LEASE_ATTEMPT_MS } from '#contract/lease.js';
import { attempt } from '../../fail.js';
import { withHeartbeat } from '../../heartbeat.js';
import { loadConfig } from '../../load-config.js';
import { redactorOf } from '../../redactor-of.js';
import type { World } from '../../world.js';
import { failureOf, hidden, skipped, withinTime } from './attempt.js';
import { hashTarget, openTarget } from './open-target.js';
import { type CapacityTarget, TargetFailure } from './target.js';
import { REASONS } from './warm.js';

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

type LeasePorts = Pick<World, 'config' | 'env' | 'outbound' | 'redactKeys'>;

/** Takes one step of a lease at its target. A failure says `whatFailed` and why, with secrets taken out. */
async function atTarget<Report extends Omit<ActionReport, 'attempts'>>(
  world: LeasePorts,
  { config, bridge, lease, whatFailed }: { config: MeshConfig; bridge: Bridge; lease: Lease; whatFailed: string },
  step: (target: CapacityTarget, signal: AbortSignal) => Promise<Report>,
): Promise<Report & { attempts: number }> {
  const redactor = redactorOf(config, world.redactKeys);
  try {
    if (isElsewhere(lease, bridge)) throw elsewhere(lease.environment);
    const report = await withHeartbeat(() =>
      withinTime(LEASE_ATTEMPT_MS, Context.current().cancellationSignal, async ({ signal }) =>
        step(await openTarget(bridge, config, world), signal),
      ),
    );
    return { ...report, ...hidden(report, redactor.text), attempts: attempt() };
  } catch (error) {
    throw failureOf(error, (said) => redactor.text(`${whatFailed}: ${said}`));
  }
}

/** Whether a lease is on another target than the one that `mesh.yaml` names now. */
function isElsewhere({ targetHash }: Pick<Lease, 'targetHash'>, bridge: Bridge): boolean {
  return targetHash !== hashTarget(bridge);
}

/** Nothing is changed at the target that is there now: the numbers of another one say nothing about it. */
function elsewhere(environment: string): TargetFailure {
  const message = `mesh.yaml names a bridge at another address now: ${environment} there is left as it is`;
  return new TargetFailure(message, { isFinal: true });
}
