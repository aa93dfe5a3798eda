import {
  CancellationScope,
  CancelledFailure,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { SpawnPlan } from '#contract/actions/spawn-fallback-agent/schema.js';
import type { ActionActivities, AskedSlot, LaunchedAnswer, SpawnAnswer } from '#contract/activities.js';
import type { AgentKnown } from '#contract/attempt.js';
import { actionQueueOf, SLOTS_SIGNALS } from '#contract/names.js';
import type { Doing, RetryPlan } from '#contract/remediation.js';
import type { SlotRelease } from '#contract/slots.js';
import { wordsOfDoing } from '#contract/story-words.js';
import { summaryOf } from '#contract/text/shorten.js';
import { plural } from '#contract/text/words.js';
import type { ActionRun } from '../action-run.js';
import { activityOptions } from '../activity-options.js';

/** Which launcher is to be tried. */
export interface Wanted {
  /** None: the first. */
  launcher: string | undefined;
  /** Those that have failed already. */
  tried: string[];
}

/** What one launcher has come to, also when it fails in the end. */
export interface SoFar {
  /** The slot that the agent has, or stands in line for. */
  slot?: AskedSlot;
  /** The attempts that failed before the activity that runs now: it has so many fewer. */
  failedBefore: number;
  /** For a slot, and for what else was in the way. What it does between two waits does not count: that may be hours. */
  waitedMs: number;
  /** What the activity before has left behind, if it only put the launch off. */
  known?: AgentKnown;
}

export interface GivenUp {
  state: 'given-up';
  reason: string;
}

const WAITS_FOR_UP_TO_MS = 3_600_000;
const FIRST_WAIT_MS = 5_000;
/** Each time writes the whole event into the history. */
const LONGEST_WAIT_MS = 300_000;

/** Waits here, for a slot and for what else is in the way: agents that queue up keep no worker busy. */
export async function launchInSlot(
  run: ActionRun<SpawnPlan>,
  wanted: Wanted,
  soFar: SoFar,
): Promise<LaunchedAnswer | GivenUp> {
  const slot = await takeSlot(run, wanted, soFar);
  if ('reason' in slot) return slot;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    const answer = await startAgent(run, slot, soFar);
    if (answer.state !== 'delayed') return answer;
    const { reason, attempts, known } = answer;
    soFar.failedBefore += attempts;
    soFar.known = known;
    if (soFar.waitedMs >= WAITS_FOR_UP_TO_MS) return { state: 'given-up', reason: `given up after an hour: ${reason}` };
    await wait(run, soFar, { doing: { is: 'waiting-to-retry', reason }, waitMs });
  }
}

/** Mostly a slot is free, and nothing to speak of. */
const TOLD_AT_ONCE_MS = 1_000;
/** It is told when it is its turn. Asked again seldom, for the sake of a line that was lost with the workflow that keeps it. */
const ASKS_AGAIN_AFTER_MS = 600_000;

async function takeSlot(run: ActionRun<SpawnPlan>, wanted: Wanted, soFar: SoFar): Promise<AskedSlot | GivenUp> {
  for (;;) {
    const slot = await askForSlot(run, wanted);
    // The launcher that it stood in line for has left the configuration.
    if (soFar.slot && soFar.slot.slots !== slot.slots) await giveBackSlot(run, soFar.slot);
    soFar.slot = slot;
    const isGranted = () => run.slotGrants.has({ slots: slot.slots, key: run.plan.effectKey });
    const { launcher, max } = slot;
    const doing: Doing = { is: 'waiting-for-slot', launcher, slots: max };
    const summary = summaryOf(wordsOfDoing(doing));
    const isTold = isGranted() || (await condition(isGranted, TOLD_AT_ONCE_MS, { summary }));
    if (!isTold) await wait(run, soFar, { doing, waitMs: ASKS_AGAIN_AFTER_MS, isOver: isGranted });
    if (isGranted()) return slot;
    if (soFar.waitedMs >= WAITS_FOR_UP_TO_MS) {
      const reason = `no slot of ${launcher} was free for an hour: it runs ${plural(max, 'agent')} at a time`;
      return { state: 'given-up', reason };
    }
  }
}

const ONE_QUESTION_MS = 10_000;

async function askForSlot({ plan }: ActionRun<SpawnPlan>, { launcher, tried }: Wanted): Promise<AskedSlot> {
  const { agentType, effectKey: key } = plan;
  const activities = proxyActivities<Pick<ActionActivities, 'askForSlot'>>({
    taskQueue: actionQueueOf(workflowInfo().taskQueue, 'agents'),
    startToCloseTimeout: ONE_QUESTION_MS,
    // Such as while nobody can read the configuration.
    scheduleToCloseTimeout: WAITS_FOR_UP_TO_MS,
    retry: { initialInterval: 1_000, maximumInterval: 15_000 },
    summary: summaryOf(`ask for a slot (${plan.name})`),
  });
  try {
    return await activities.askForSlot({
      key,
      ...(agentType !== undefined && { agentType }),
      ...(launcher !== undefined && { launcher }),
      tried,
    });
  } catch (error) {
    // Nobody was asked for an agent yet. A slot that it is given all the same, it loses with its end.
    throw isCancellation(error) ? new CancelledFailure('aborted before it had a slot') : error;
  }
}

async function startAgent(run: ActionRun<SpawnPlan>, slot: AskedSlot, soFar: SoFar): Promise<SpawnAnswer> {
  const { plan, request, startedAt, show } = run;
  const { launcher, isFallback } = slot;
  show({ doing: undefined });
  const options = activityOptions(
    { ...plan, retry: fewer(plan.retry, soFar.failedBefore) },
    `start ${plan.agentType ?? 'default'} agent through ${launcher}`,
  );
  const { spawnFallbackAgent } = proxyActivities<Pick<ActionActivities, 'spawnFallbackAgent'>>(options);
  const earlier = soFar.known && { earlier: soFar.known };
  return spawnFallbackAgent({ ...request(), launcher, isFallback, startedAt, ...earlier });
}

function fewer(retry: RetryPlan, by: number): RetryPlan {
  return retry.maxAttempts === undefined ? retry : { ...retry, maxAttempts: Math.max(1, retry.maxAttempts - by) };
}

interface Wait {
  doing: Doing;
  waitMs: number;
  isOver?: () => boolean;
}

async function wait(
  { show }: ActionRun<SpawnPlan>,
  soFar: SoFar,
  { doing, waitMs, isOver = () => false }: Wait,
): Promise<void> {
  show({ doing });
  const from = Date.now();
  await condition(isOver, Math.min(waitMs, WAITS_FOR_UP_TO_MS - soFar.waitedMs), {
    summary: summaryOf(wordsOfDoing(doing)),
  });
  soFar.waitedMs += Date.now() - from;
}

/** Also when the remediation is aborted. Who stands in line leaves it. */
export async function giveBackSlot({ plan }: ActionRun<SpawnPlan>, { slots }: AskedSlot): Promise<void> {
  const release: SlotRelease = { key: plan.effectKey, run: workflowInfo().runId };
  const handle = getExternalWorkflowHandle(slots);
  try {
    await CancellationScope.nonCancellable(() => handle.signal(SLOTS_SIGNALS.release, release));
  } catch (error) {
    // It completes when nobody holds a slot, so this one was given back before.
    log.warn('could not give a slot back', { slots, error });
  }
}
