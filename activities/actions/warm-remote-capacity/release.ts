import { Context } from '@temporalio/activity';
import type { ActionReport, LeaseActivities } from '../../../contract/activities.js';
import { attempt } from '../../fail.js';
import { withHeartbeat } from '../../heartbeat.js';
import { loadConfig } from '../../load-config.js';
import { redactorOf } from '../../redactor-of.js';
import type { World } from '../../world.js';
import { failureOf } from './failure-of.js';
import { openTarget } from './open-target.js';
import { withinTime } from './time-limit.js';

const TIMEOUT_MS = 30_000;

type Ports = Pick<World, 'config' | 'env' | 'outbound' | 'redactKeys'>;

/** Gives back what a lease held. What may be asked for no more may still be given back: the policy is not asked. */
export function makeReleaseCapacity(world: Ports): LeaseActivities['releaseCapacity'] {
  return async (lease) => {
    const config = await loadConfig(world.config);
    const { bridge } = config;
    if (!bridge?.enabled) return report('skipped', `Bridge is not active; ${lease.environment} is left as it is`);

    const redactor = redactorOf(config, world.redactKeys);
    try {
      const { isLeft, detail } = await withHeartbeat(() =>
        withinTime(TIMEOUT_MS, Context.current().cancellationSignal, async ({ signal }) =>
          (await openTarget(bridge, config, world)).release(lease, signal),
        ),
      );
      return report(isLeft ? 'skipped' : 'executed', redactor.text(detail));
    } catch (error) {
      throw failureOf(error, (said) => redactor.text(`Remote capacity was not given back: ${said}`));
    }
  };
}

function report(status: ActionReport['status'], text: string): ActionReport {
  return { status, [status === 'skipped' ? 'reason' : 'detail']: text, attempts: attempt() };
}
