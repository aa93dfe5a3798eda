import { Context } from '@temporalio/activity';
import type { ActionActivities } from '../contract/activities.js';
import { resolveSecret } from '../config/secret.js';
import { callBridge } from './adapters/capacity-bridge.js';
import { attempt, failure } from './fail.js';
import { withHeartbeat } from './heartbeat.js';
import type { World } from './index.js';
import { loadConfig } from './load-config.js';

/** Asks the configured bridge for capacity. Without a bridge this is a safe no-op, and says so. */
export function makeWarmRemoteCapacity({
  config,
  env,
}: Pick<World, 'config' | 'env'>): ActionActivities['warmRemoteCapacity'] {
  return async ({ plan, remediation }) => {
    const { bridge, folder } = await loadConfig(config);
    if (!bridge?.enabled) {
      const reason = 'Bridge is not active; warm_remote_capacity is a safe no-op';
      return { status: 'skipped', reason, attempts: attempt() };
    }
    const { rule, event } = remediation;
    const token = bridge.token === undefined ? undefined : await resolveSecret(bridge.token, folder, env);
    const answer = await withHeartbeat(() =>
      callBridge({
        url: bridge.url,
        token,
        effectKey: plan.effectKey,
        timeoutMs: plan.timeoutMs,
        signal: Context.current().cancellationSignal,
        body: {
          effectKey: plan.effectKey,
          rule,
          event: { id: event.id, event: event.event, outcome: event.outcome, tenant: event.tenant },
          createDefaultEnvironmentIfMissing: plan.createDefaultEnvironmentIfMissing ?? false,
        },
      }),
    );
    switch (answer.kind) {
      case 'warmed': {
        const { environmentId } = answer;
        const detail = environmentId
          ? `Remote capacity warmed for environment ${environmentId}`
          : 'Remote capacity warm-up completed';
        return { status: 'executed', detail, attempts: attempt() };
      }
      case 'declined':
        return { status: 'skipped', reason: answer.reason ?? 'Warm remote callback declined', attempts: attempt() };
      case 'cancelled':
        return Context.current().cancelled;
      case 'failed': {
        const { isFinal, retryAfterMs, cause } = answer;
        const message = `Remote warm-up failed: ${answer.reason}`;
        throw failure({ type: isFinal ? 'bridge-refused' : 'bridge-failed', message, isFinal, retryAfterMs, cause });
      }
    }
  };
}
