import { ActivityFailure, ApplicationFailure, isCancellation, rootCause, TimeoutFailure } from '@temporalio/workflow';
import { defaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import type { AttemptDetails } from '../../contract/activities.js';
import type { Outcome } from './action-run.js';

/** What a thrown error says about an action. */
export function resultOfFailure(error: unknown): Outcome {
  const details = detailsOf(error);
  const attempts = details?.attempts ?? 1;
  if (isCancellation(error)) return { status: 'aborted', reason: 'aborted while it ran', attempts };
  const detail = details?.detail;
  return { status: 'failed', reason: reasonOf(error), ...(detail !== undefined && { detail }), attempts };
}

/**
 * What the last attempt left behind. The server does not tell a workflow how often an activity was tried, so each attempt
 * leaves its number: in its failure, or in its heartbeats when it never came to fail.
 */
export function detailsOf(error: unknown): AttemptDetails | undefined {
  for (const failure of chainOf(error)) {
    if (failure instanceof ApplicationFailure) return failure.details?.[0] as AttemptDetails | undefined;
    const beat = failure instanceof TimeoutFailure ? (failure.lastHeartbeatDetails as AttemptDetails | null) : null;
    if (beat) return beat;
  }
  return undefined;
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

/** When time runs out the server tells of the last failure too, which the SDK hands over as it came. */
function causeOf(error: Error): unknown {
  const last = error instanceof TimeoutFailure ? error.failure?.cause : undefined;
  return last ? defaultFailureConverter.failureToError(last, defaultPayloadConverter) : error.cause;
}
