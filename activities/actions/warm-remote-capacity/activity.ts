import { Context } from '@temporalio/activity';
import type { ActionActivities } from '#contract/activities.js';
import { endIfAborted } from '../../abort-unheard.js';
import { attempt } from '../../fail.js';
import { withHeartbeat } from '../../heartbeat.js';
import { loadConfig } from '../../load-config.js';
import { redactorOf } from '../../redactor-of.js';
import type { World } from '../../world.js';
import { failureOf, hidden, skipped, withinTime } from './attempt.js';
import { hashTarget, openTarget } from './open-target.js';
import { REASONS, warm } from './warm.js';

type Ports = Pick<World, 'config' | 'env' | 'outbound' | 'redactKeys' | 'workflows'>;

/** Makes remote capacity ready for a while, and says so only once it is. Without a bridge this is a safe no-op. */
export function makeWarmRemoteCapacity(world: Ports): ActionActivities['warmRemoteCapacity'] {
  return async ({ plan, remediation }) => {
    const config = await loadConfig(world.config);
    const { bridge, policy } = config;
    if (!policy.allowRemoteSessions) return skipped(REASONS.blockedByPolicy);
    if (!bridge?.enabled) return skipped(REASONS.notActive);

    const redactor = redactorOf(config, world.redactKeys);
    const request = {
      plan,
      tenant: remediation.event.tenant,
      targetHash: hashTarget(bridge),
      firstTriedAt: Context.current().info.scheduledTimestampMs,
      keepLease: world.workflows.keepLease,
    };
    try {
      const warmed = await withHeartbeat(async () => {
        await endIfAborted(world.workflows);
        return withinTime(plan.timeoutMs, Context.current().cancellationSignal, async (limit) =>
          warm(await openTarget(bridge, config, world), request, limit),
        );
      });
      return { ...warmed, ...hidden(warmed, redactor.text), attempts: attempt() };
    } catch (error) {
      throw failureOf(error, (said) => redactor.text(`Remote warm-up failed: ${said}`));
    }
  };
}
