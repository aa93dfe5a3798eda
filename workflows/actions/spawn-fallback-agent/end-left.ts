import { CancellationScope, log, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { SpawnPlan } from '#contract/actions/spawn-fallback-agent/schema.js';
import type { ActionActivities, AttemptDetails } from '#contract/activities.js';
import { actionQueueOf } from '#contract/names.js';
import { summaryOf } from '#contract/text/shorten.js';
import type { ActionRun } from '../action-run.js';
import type { Wanted } from './launch-when-free.js';

export type Left = Pick<AttemptDetails, 'agent' | 'mayStillRun'>;

/**
 * An abort that met no attempt: it came between two of them, or their worker has died. What an attempt has left at work, an
 * activity of its own ends. `details`: what is known from the last attempt, if anything is. Never throws.
 */
export async function endLeft(
  { plan, request, startedAt, agentEnds, shownAgent }: ActionRun<SpawnPlan>,
  { tried }: Wanted,
  details: AttemptDetails | undefined,
): Promise<Left | undefined> {
  const agent = details?.agent ?? shownAgent() ?? agentEnds.lastAsked(plan.name);
  // That of a launcher which has failed for good was ended before this one was tried.
  if (!agent || tried.includes(agent.launcher)) return undefined;
  const { endFallbackAgent } = proxyActivities<Pick<ActionActivities, 'endFallbackAgent'>>({
    taskQueue: actionQueueOf(workflowInfo().taskQueue, 'agents'),
    startToCloseTimeout: ONE_TRY_MS,
    scheduleToCloseTimeout: ALL_TRIES_MS,
    retry: { initialInterval: 1_000, maximumInterval: 5_000 },
    summary: summaryOf(`end what is left of the agent (${plan.name})`),
  });
  try {
    return await CancellationScope.nonCancellable(() => endFallbackAgent({ ...request(), startedAt, agent }));
  } catch (error) {
    log.warn('could not end an agent after an abort', { launcher: agent.launcher, error });
    return { agent, mayStillRun: true };
  }
}

/** A workflow has eight seconds to end; a process, seven. */
const ONE_TRY_MS = 20_000;
/** An abort is to be over some time, also where no worker is left. */
const ALL_TRIES_MS = 60_000;
