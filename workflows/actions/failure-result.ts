import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  isCancellation,
  rootCause,
  TimeoutFailure,
} from '@temporalio/workflow';
import { defaultFailureConverter, defaultPayloadConverter, RetryState } from '@temporalio/common';
import type { AttemptDetails } from '#contract/attempt.js';
import type { FailureType } from '#contract/failures.js';
import type { Outcome } from './action-run.js';

/** It was aborted, and nobody was asked for anything. */
export const NEVER_STARTED: Outcome = { status: 'aborted', reason: 'aborted before it started', attempts: 0 };

/** What a thrown error says about an action. */
export function resultOfFailure(error: unknown): Outcome {
  // After an abort no activity is begun. Of one that was, it is the failure of that activity, with this as its cause.
  if (error instanceof CancelledFailure) return NEVER_STARTED;
  if (isCancellation(error)) return { status: 'aborted', ...abortOf(error) };
  const details = detailsOf(error);
  const attempts = details?.attempts ?? 1;
  if (isAbortFound(error)) {
    return attempts === 0 ? NEVER_STARTED : { status: 'aborted', reason: 'aborted between two attempts', attempts };
  }
  const detail = details?.detail;
  const said = { ...(detail !== undefined && { detail }), attempts };
  const reason = reasonOf(error);
  if (!isCutShort(error)) return { status: 'failed', reason, ...said };
  return { status: 'aborted', reason: `aborted while it was tried; the last attempt failed: ${reason}`, ...said };
}

/** The attempt has asked the server before it was told. */
function isAbortFound(error: unknown): boolean {
  const [failure] = chainOf(error);
  return failure instanceof ApplicationFailure && failure.type === ('aborted' satisfies FailureType);
}

/** What is known of an abort that ended an action which had begun: of one between two attempts not how many there were. */
export function abortOf(error: unknown): { reason: string; attempts: number } {
  const reason = isCancelledByServer(error) ? ABORTED_BETWEEN : ABORTED;
  return { reason, attempts: detailsOf(error)?.attempts ?? 0 };
}

const ABORTED = 'aborted while it ran';
const ABORTED_BETWEEN = 'aborted between two attempts, or before the first';

/** No attempt was there to hear of it. The server then leaves a text in place of the details. */
function isCancelledByServer(error: unknown): boolean {
  return chainOf(error).some((one) => one instanceof CancelledFailure && typeof one.details?.[0] === 'string');
}

/**
 * An attempt that failed before it heard of the abort: that is why no other follows. The server says the same of the last that
 * was allowed.
 */
function isCutShort(error: unknown): boolean {
  if (!(error instanceof ActivityFailure) || error.retryState !== RetryState.CANCEL_REQUESTED) return false;
  const [failure] = chainOf(error);
  return !(failure instanceof ApplicationFailure && failure.nonRetryable === true);
}

/**
 * What the last attempt left behind. The server does not tell a workflow how often an activity was tried, so each attempt
 * leaves its number: in its failure, or in its heartbeats when it never came to fail.
 */
export function detailsOf<Details extends AttemptDetails>(error: unknown): Details | undefined {
  for (const failure of chainOf(error)) {
    if (failure instanceof ApplicationFailure || failure instanceof CancelledFailure) {
      const details = readDetails<Details>(failure.details?.[0]);
      if (details || failure instanceof ApplicationFailure) return details;
    }
    const beat = failure instanceof TimeoutFailure ? readDetails<Details>(failure.lastHeartbeatDetails) : undefined;
    if (beat) return beat;
  }
  return undefined;
}

/** The server itself leaves a text in their place, when an activity is cancelled between two attempts. */
function readDetails<Details extends AttemptDetails>(details: unknown): Details | undefined {
  return typeof details === 'object' && details !== null ? (details as Details) : undefined;
}

/** Whether an attempt was there to hear of the cancellation, and has said what it left behind. */
export function isCancelledByAttempt(error: unknown): boolean {
  return chainOf(error).some((one) => one instanceof CancelledFailure && readDetails(one.details?.[0]) !== undefined);
}

/** The last attempt said nothing any more, so its worker may have died. */
export function isSilence(error: unknown): boolean {
  return chainOf(error)[0] instanceof TimeoutFailure;
}

/** True when it was ended because it took too long, by itself or by the server. */
export function isTimeout(error: unknown): boolean {
  const [failure] = chainOf(error);
  if (failure instanceof TimeoutFailure) return failure.timeoutType === 'START_TO_CLOSE';
  return failure instanceof ApplicationFailure && failure.type === 'timeout';
}

function reasonOf(error: unknown): string {
  const [failure, before] = chainOf(error);
  if (!(failure instanceof TimeoutFailure)) return failure?.message || rootCause(error) || 'failed';
  const last = before?.message ? `; the last error: ${before.message}` : '';
  if (failure.timeoutType === 'HEARTBEAT') return 'the worker that ran it stopped responding';
  if (failure.timeoutType === 'SCHEDULE_TO_CLOSE') return `given up after all the time there was${last}`;
  return `timed out (${failure.timeoutType})${last}`;
}

/** Below the failure of the activity: what ended it, and what that followed. */
function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let inner = error; inner instanceof Error; inner = causeOf(inner)) {
    if (!(inner instanceof ActivityFailure)) chain.push(inner);
  }
  return chain;
}

/** When time runs out the server tells of the last failure too. The SDK hands it over as it came, decoded by the worker. */
function causeOf(error: Error): unknown {
  const last = error instanceof TimeoutFailure ? error.failure?.cause : undefined;
  return last ? defaultFailureConverter.failureToError(last, defaultPayloadConverter) : error.cause;
}
