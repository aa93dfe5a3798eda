import { proxyActivities, sleep } from '@temporalio/workflow';
import type { ActionActivities, SpawnAnswer } from '../../../contract/activities.js';
import type { SpawnPlan } from '../../../contract/actions/spawn-fallback-agent/schema.js';
import type { RetryPlan } from '../../../contract/remediation.js';
import { plural } from '../../../contract/plural.js';
import { summaryOf } from '../../../contract/summary.js';
import type { ActionRun } from '../action-run.js';
import { activityOptions } from '../activity-options.js';

const BUSY_FOR_UP_TO_MS = 3_600_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;

/** Counts the attempts that failed before the launcher was found busy: the ones after that are so many fewer. */
export interface Tally {
  failedBefore: number;
}

/** Waits here, on a durable timer, for a slot: agents that queue up keep no worker busy. */
export async function launchWhenFree(
  { plan, request, show }: ActionRun<SpawnPlan>,
  launcher: string | undefined,
  tally: Tally,
): Promise<SpawnAnswer> {
  const through = launcher === undefined ? '' : ` through ${launcher}`;
  const doing = `start ${plan.agentType ?? 'default'} agent${through}`;
  const giveUpAt = Date.now() + BUSY_FOR_UP_TO_MS;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    const options = activityOptions({ ...plan, retry: fewer(plan.retry, tally.failedBefore) }, doing);
    const { spawnFallbackAgent } = proxyActivities<Pick<ActionActivities, 'spawnFallbackAgent'>>(options);
    const answer = await spawnFallbackAgent({ ...request(), ...(launcher !== undefined && { launcher }) });
    const leftMs = giveUpAt - Date.now();
    if (answer.state !== 'busy' || leftMs <= 0) return answer;
    tally.failedBefore += answer.attempts ?? 0;
    show({
      note: `waits for a free slot of ${answer.launcher}, which runs ${plural(answer.slots, 'agent')} at a time`,
    });
    await sleep(Math.min(waitMs, leftMs), { summary: summaryOf(`waits for a free slot of ${answer.launcher}`) });
  }
}

function fewer(retry: RetryPlan, by: number): RetryPlan {
  return retry.maxAttempts === undefined ? retry : { ...retry, maxAttempts: Math.max(1, retry.maxAttempts - by) };
}
