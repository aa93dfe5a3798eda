import { duration } from '#contract/text/duration.js';
import { plural } from '#contract/text/words.js';
import type { NotifyRetry } from '#config/sections/notify.js';
import type { RetryPlan } from '#contract/remediation.js';

export interface FailedAttempt {
  /** From 1. */
  attempt: number;
  /** Since the delivery was first scheduled. */
  elapsedMs: number;
  /** What the receiver asked for. */
  askedMs?: number | undefined;
  /** Set when the receiver may have the message from this attempt: how many such attempts there were, this one included. */
  perhapsArrived?: number | undefined;
}

export type NextTry = { waitMs: number } | { never: string };

/** Each of them may be one more copy for somebody who is awake already. */
const MAX_PERHAPS_ARRIVED = 4;
/** So that these few cover hours: after 5 minutes, half an hour and 3 hours, unless the configuration says otherwise. */
const PERHAPS_ARRIVED_FACTOR = 6;
const ASKED_BY_RULE: RetryPlan = { initialIntervalMs: 1_000, maxIntervalMs: 30_000 };

/**
 * How long to wait after an attempt that failed: little at first, since most failures pass soon, then steadily for hours, since
 * a server that is down for a night must not cost the message. `never` says why there is no other attempt.
 */
export function nextTry(
  { attempt, elapsedMs, askedMs = 0, perhapsArrived = 0 }: FailedAttempt,
  { quickForMs, slowEveryMs, giveUpAfterMs }: NotifyRetry,
  rule: RetryPlan = ASKED_BY_RULE,
): NextTry {
  const never = noneLeft(attempt, rule);
  if (never !== undefined) return { never };
  if (perhapsArrived >= MAX_PERHAPS_ARRIVED) {
    return { never: `gave up, so that nobody gets it again and again: ${perhapsArrived} attempts may have arrived` };
  }
  const stepMs =
    perhapsArrived > 0
      ? slowEveryMs * PERHAPS_ARRIVED_FACTOR ** (perhapsArrived - 1)
      : elapsedMs < quickForMs
        ? Math.min(quickWait(attempt, rule), slowEveryMs)
        : slowEveryMs;
  const waitMs = Math.max(stepMs, askedMs);
  if (elapsedMs + waitMs <= giveUpAfterMs) return { waitMs };
  const gaveUp = `gave up after ${duration(elapsedMs)}`;
  if (askedMs <= stepMs) return { never: gaveUp };
  return {
    never: `${gaveUp}, since the receiver asks for a wait of ${duration(askedMs)} and notify.retry.giveUpAfterMs is ${duration(giveUpAfterMs)}`,
  };
}

/** Why there is no other attempt after so many; nothing when the rule allows one. */
export function noneLeft(made: number, rule: RetryPlan | undefined): string | undefined {
  if (rule?.maxAttempts === undefined || made < rule.maxAttempts) return undefined;
  return `gave up after ${plural(made, 'attempt')}, as the rule says`;
}

/**
 * How long to wait when the receiver was busy, for the first time or the nth. As at first after a failure, however late it is: a
 * place is free again within seconds most often, and the receiver may be well.
 */
export function waitWhileBusy(times: number): number {
  return quickWait(times, ASKED_BY_RULE);
}

function quickWait(attempt: number, { initialIntervalMs, maxIntervalMs }: RetryPlan): number {
  return Math.min(initialIntervalMs * 2 ** (attempt - 1), maxIntervalMs);
}
