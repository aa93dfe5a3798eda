import { TemporalFailure } from '@temporalio/common';
import type { ActionReport } from '#contract/activities.js';
import { messageOf } from '#contract/text/words.js';
import { asAborted, attempt, failure } from '../../fail.js';
import { TargetFailure } from './target.js';

// What one attempt of any activity on remote capacity is made of: its time, its failure and its report.

export interface TimeLimit {
  /** Aborted when the time is up, with the failure as its reason, or when the activity is cancelled. */
  signal: AbortSignal;
  endsAt: number;
  timeoutMs: number;
}

/** Runs one attempt within its time. */
export async function withinTime<T>(
  timeoutMs: number,
  cancellation: AbortSignal,
  run: (limit: TimeLimit) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const failure = new TargetFailure(`no answer within ${timeoutMs}ms`, { isFinal: false });
  const timer = setTimeout(() => controller.abort(failure), timeoutMs);
  try {
    const signal = AbortSignal.any([cancellation, controller.signal]);
    return await run({ signal, endsAt: Date.now() + timeoutMs, timeoutMs });
  } finally {
    clearTimeout(timer);
  }
}

/** Whatever went wrong as a failure of the activity, in the words that are documented. A cancellation stays what it is. */
export function failureOf(error: unknown, say: (message: string) => string): unknown {
  if (error instanceof TemporalFailure) return asAborted(error);
  const message = say(messageOf(error));
  if (!(error instanceof TargetFailure)) return failure({ type: 'action-error', message, cause: error });
  const { isFinal, retryAfterMs, cause } = error;
  return failure({ type: isFinal ? 'bridge-refused' : 'bridge-failed', message, isFinal, retryAfterMs, cause });
}

/** These texts contain words of the target. */
export function hidden({ reason, detail }: Omit<ActionReport, 'attempts'>, hide: (text: string) => string) {
  return {
    ...(reason !== undefined && { reason: hide(reason) }),
    ...(detail !== undefined && { detail: hide(detail) }),
  };
}

export function skipped(reason: string): ActionReport {
  return { status: 'skipped', reason, attempts: attempt() };
}
