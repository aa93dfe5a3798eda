import { Context } from '@temporalio/activity';
import { WarmRemoteCapacity } from '../../../contract/actions/warm-remote-capacity/schema.js';
import type { ActionActivities } from '../../../contract/activities.js';
import { attempt } from '../../fail.js';
import { withHeartbeat } from '../../heartbeat.js';
import { loadConfig } from '../../load-config.js';
import { redactorOf } from '../../redactor-of.js';
import type { World } from '../../world.js';
import { failureOf } from './failure-of.js';
import { openTarget } from './open-target.js';
import { REASONS } from './reasons.js';
import { withinTime } from './time-limit.js';
import { warm, type Warmed } from './warm.js';

/** For a remediation that an earlier version planned, and that somebody has retried now. */
const USUAL = WarmRemoteCapacity.pick({ ensure: true, forMs: true }).parse({});

type Ports = Pick<World, 'config' | 'env' | 'outbound' | 'redactKeys' | 'workflows'>;

/** Has remote capacity ready for a while, and says so only when it really is. Without a bridge this is a safe no-op. */
export function makeWarmRemoteCapacity(world: Ports): ActionActivities['warmRemoteCapacity'] {
  return async ({ plan, remediation }) => {
    const config = await loadConfig(world.config);
    const { bridge, policy } = config;
    const skipped = (reason: string) => ({ status: 'skipped' as const, reason, attempts: attempt() });
    if (!policy.allowRemoteSessions) return skipped(REASONS.blockedByPolicy);
    if (!bridge?.enabled) return skipped(REASONS.notActive);

    const redactor = redactorOf(config, world.redactKeys);
    const request = {
      plan: { ...USUAL, ...plan },
      tenant: remediation.event.tenant,
      firstTriedAt: Context.current().info.scheduledTimestampMs,
      keepLease: world.workflows.keepLease,
    };
    try {
      const warmed = await withHeartbeat(() =>
        withinTime(plan.timeoutMs, Context.current().cancellationSignal, async (limit) =>
          warm(await openTarget(bridge, config, world), request, limit),
        ),
      );
      return { ...redacted(warmed, redactor.text), attempts: attempt() };
    } catch (error) {
      throw failureOf(error, (said) => redactor.text(`Remote warm-up failed: ${said}`));
    }
  };
}

/** The bridge has its part in these texts. */
function redacted(warmed: Warmed, hide: (text: string) => string): Warmed {
  const { detail } = warmed;
  const hidden = detail !== undefined && { detail: hide(detail) };
  return warmed.status === 'executed'
    ? { ...warmed, ...hidden }
    : { ...warmed, reason: hide(warmed.reason), ...hidden };
}
