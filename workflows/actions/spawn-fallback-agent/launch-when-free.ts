import { condition, proxyActivities } from '@temporalio/workflow';
import type { ActionActivities, AttemptDetails, PutOff, SpawnAnswer } from '#contract/activities.js';
import type { SpawnPlan } from '#contract/actions/spawn-fallback-agent/schema.js';
import type { Doing, RetryPlan } from '#contract/remediation.js';
import type { SlotTicket } from '#contract/slots.js';
import { wordsOfDoing } from '#contract/story-words.js';
import { summaryOf } from '#contract/text/shorten.js';
import type { ActionRun } from '../action-run.js';
import { activityOptions } from '../activity-options.js';
import { giveBackSlots, isSameSlot } from './give-back-slots.js';

/** In all. What it does between two waits does not count: that may be hours of an agent's work. */
const WAITS_FOR_UP_TO_MS = 3_600_000;
/**
 * It is told when it is its turn. It asks unbidden for the sake of a slot that nobody can give back, and of a line that was
 * lost; seldom, since each time writes the whole event into the history.
 */
const FIRST_WAIT_MS = 15_000;
const LONGEST_WAIT_MS = 300_000;

/** What the activities of one launcher have come to that only put the launch off. */
export interface SoFar {
  /** The attempts that failed: the next activity has so many fewer. */
  failedBefore: number;
  /** A slot, or a place in line: the remediation gives it back in the end, whether or not an activity has done so. */
  place?: { launcher: string | undefined; slot: SlotTicket } | undefined;
  /** What an attempt has left behind, such as an agent elsewhere that may be at work. */
  earlier?: AttemptDetails;
}

/** Waits here, for a slot or for what else is in the way: agents that queue up keep no worker busy. */
export async function launchWhenFree(
  run: ActionRun<SpawnPlan>,
  { launcher, tried }: Wanted,
  soFar: SoFar,
): Promise<SpawnAnswer> {
  const { plan, request, startedAt, show, slotTurns } = run;
  const through = launcher === undefined ? '' : ` through ${launcher}`;
  const summary = `start ${plan.agentType ?? 'default'} agent${through}`;
  let waitedMs = 0;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    if (soFar.place) slotTurns.forget(soFar.place.slot.key);
    const options = activityOptions({ ...plan, retry: fewer(plan.retry, soFar.failedBefore) }, summary);
    const { spawnFallbackAgent } = proxyActivities<Pick<ActionActivities, 'spawnFallbackAgent'>>(options);
    const answer = await spawnFallbackAgent({
      ...request(),
      startedAt,
      ...(launcher !== undefined && { launcher }),
      ...(tried.length > 0 && { tried }),
      ...(soFar.earlier && { earlier: soFar.earlier }),
    });
    const { place } = soFar;
    if (!isPutOff(answer)) {
      // The launcher that it stood in line for has taken its place, and gives back its slot itself or in its answer.
      if (place && place.launcher !== answer.agent.launcher) await giveBackSlots([place.slot]);
      soFar.place = answer.slot && { launcher: answer.agent.launcher, slot: answer.slot };
      return answer;
    }
    if (answer.slot) {
      if (place && !isSameSlot(place.slot, answer.slot)) await giveBackSlots([place.slot]);
      soFar.place = { launcher: answer.launcher, slot: answer.slot };
    }
    soFar.failedBefore += answer.attempts ?? 0;
    if (answer.earlier) soFar.earlier = answer.earlier;
    if (waitedMs >= WAITS_FOR_UP_TO_MS) return answer;

    const doing = waitingFor(answer);
    show({ doing });
    const from = Date.now();
    const isItsTurn = () => soFar.place !== undefined && slotTurns.has(soFar.place.slot.key);
    await condition(isItsTurn, Math.min(waitMs, WAITS_FOR_UP_TO_MS - waitedMs), {
      summary: summaryOf(wordsOfDoing(doing)),
    });
    waitedMs += Date.now() - from;
  }
}

export interface Wanted {
  /** None: the first. */
  launcher: string | undefined;
  /** Those that have failed already. */
  tried: string[];
}

export function isPutOff(answer: SpawnAnswer): answer is PutOff {
  return answer.state === 'busy' || answer.state === 'delayed';
}

function waitingFor(answer: PutOff): Doing {
  if (answer.state === 'delayed') return { is: 'waiting-to-retry', reason: answer.reason };
  return { is: 'waiting-for-slot', launcher: answer.launcher, slots: answer.slots };
}

function fewer(retry: RetryPlan, by: number): RetryPlan {
  return retry.maxAttempts === undefined ? retry : { ...retry, maxAttempts: Math.max(1, retry.maxAttempts - by) };
}
