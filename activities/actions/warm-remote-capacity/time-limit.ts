import { TargetFailure } from './target.js';

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
