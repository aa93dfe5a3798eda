import { CancelledFailure } from '@temporalio/common';
import type { Agent } from '#config/sections/agents.js';
import type { PutOff } from '#contract/activities.js';
import type { SlotTicket } from '#contract/slots.js';
import { attempt } from '../../fail.js';
import type { ChosenLauncher } from './choose-launcher.js';
import type { Launch } from './launch.js';
import { isElsewhere } from './is-elsewhere.js';
import { isWorkerStopped, knownOf, takeBackUnasked, WORKER_STOPPED } from './left-behind.js';
import { ticketOf } from './take-slot.js';

// Answers by which the remediation asks again later, in another activity, without an attempt being used up.

export function busy(launch: Launch, { agent }: ChosenLauncher): PutOff {
  const slot = ticketOf(launch);
  return { state: 'busy', launcher: launch.launcher, slots: agent.maxConcurrent, ...found(launch), slot };
}

export function delayed(launch: Launch, reason: string): PutOff {
  return { state: 'delayed', reason, launcher: launch.launcher, ...found(launch) };
}

/** A worker that stops while it waits for something elsewhere is nobody's failure: another worker waits for the same. */
export function delayedByStop(launch: Launch, { kind }: Agent, error: unknown): PutOff | undefined {
  const isStop = error instanceof CancelledFailure && isWorkerStopped();
  return isStop && isElsewhere(kind) ? delayed(launch, WORKER_STOPPED) : undefined;
}

export function failedBefore(): Pick<PutOff, 'attempts'> {
  const attempts = attempt() - 1;
  return attempts > 0 ? { attempts } : {};
}

/** What this attempt and those before it have found out, for the next activity. */
function found(launch: Launch): Pick<PutOff, 'next' | 'attempts' | 'earlier'> & { slot?: SlotTicket } {
  takeBackUnasked(launch);
  const { launcher, next, details } = launch;
  const { slot, ...known } = knownOf(launch);
  return {
    ...(next !== undefined && { next }),
    ...(slot && { slot }),
    ...(known.mayStillRun && { earlier: { attempts: details.attempts, launcher, ...known } }),
    ...failedBefore(),
  };
}
