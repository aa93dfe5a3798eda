import type { NotifyRetry } from '../../../config/sections/notify.js';
import type { RetryPlan } from '../../../contract/remediation.js';

export interface FailedAttempt {
  /** From 1. */
  attempt: number;
  /** Since the delivery was first scheduled. */
  elapsedMs: number;
  /** What the receiver asked for. */
  askedMs?: number | undefined;
}

const LONGEST_QUICK_WAIT_MS = 30_000;
const ASKED_BY_RULE = { initialIntervalMs: 1_000, maxIntervalMs: Infinity };

/**
 * How long to wait after an attempt that failed: little at first, since most failures pass soon, then steadily for hours, since
 * a server that is down for a night must not cost the message. Nothing when there is no time for another attempt.
 */
export function waitBeforeRetry(
  { attempt, elapsedMs, askedMs = 0 }: FailedAttempt,
  { quickForMs, slowEveryMs, giveUpAfterMs }: NotifyRetry,
  rule: Pick<RetryPlan, 'initialIntervalMs' | 'maxIntervalMs'> = ASKED_BY_RULE,
): number | undefined {
  const step = elapsedMs < quickForMs ? Math.min(quickWait(attempt, rule), slowEveryMs) : slowEveryMs;
  const waitMs = Math.max(step, askedMs);
  return elapsedMs + waitMs > giveUpAfterMs ? undefined : waitMs;
}

function quickWait(attempt: number, rule: Pick<RetryPlan, 'initialIntervalMs' | 'maxIntervalMs'>): number {
  const longest = Math.min(Math.max(LONGEST_QUICK_WAIT_MS, rule.initialIntervalMs), rule.maxIntervalMs);
  return Math.min(rule.initialIntervalMs * 2 ** (attempt - 1), longest);
}
