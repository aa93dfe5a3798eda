import { Context } from '@temporalio/activity';
import type { MeshConfig } from '#config/mesh-config.js';
import type { Bridge } from '#config/sections/bridge.js';
import type { ActionReport } from '#contract/activities.js';
import { type Lease, LEASE_ATTEMPT_MS } from '#contract/lease.js';
import { attempt } from '../../fail.js';
import { withHeartbeat } from '../../heartbeat.js';
import { redactorOf } from '../../redactor-of.js';
import type { World } from '../../world.js';
import { failureOf } from './failure-of.js';
import { openTarget } from './open-target.js';
import { elsewhere, isElsewhere } from './hash-target.js';
import type { CapacityTarget } from './target.js';
import { withinTime } from './time-limit.js';

export type LeasePorts = Pick<World, 'config' | 'env' | 'outbound' | 'redactKeys'>;

/** Takes one step of a lease at its target. A failure says `whatFailed` and why, with secrets taken out. */
export async function atTarget<Report extends Omit<ActionReport, 'attempts'>>(
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

/** These texts contain words of the target. */
export function hidden({ reason, detail }: Omit<ActionReport, 'attempts'>, hide: (text: string) => string) {
  return {
    ...(reason !== undefined && { reason: hide(reason) }),
    ...(detail !== undefined && { detail: hide(detail) }),
  };
}

export function skipped(reason: string): ActionReport {
  return { status: 'skipped', reason, attempts: attempt() };
}
