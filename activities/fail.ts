import { ApplicationFailure, CancelledFailure, TemporalFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import type { AttemptDetails } from '#contract/attempt.js';
import type { FailureType } from '#contract/failures.js';
import { messageOf } from '#contract/text/words.js';

export interface Failure {
  type: FailureType;
  message: string;
  /** True only on proof that trying again cannot help. */
  isFinal?: boolean;
  /** What the other side asked for. */
  retryAfterMs?: number | undefined;
  detail?: string;
  /** How often it was tried, where that is not what this attempt counts. */
  attempts?: number;
  /** What else the workflow is to know of the attempt. */
  more?: object;
  cause?: unknown;
}

/** The one way an action fails: with a type, a reason for people, and the number of the attempt. */
export function failure({
  type,
  message,
  isFinal = false,
  retryAfterMs,
  detail,
  attempts = attempt(),
  more,
  cause,
}: Failure): ApplicationFailure {
  const details: AttemptDetails = { attempts, ...more, ...(detail !== undefined && { detail }) };
  const error = ApplicationFailure.create({
    type,
    message,
    nonRetryable: isFinal,
    details: [details],
    ...(retryAfterMs !== undefined && { nextRetryDelay: retryAfterMs }),
    ...(cause instanceof Error && { cause }),
  });
  // The cause keeps its own; where the failure was made tells an operator nothing.
  error.stack = '';
  return error;
}

/** An error nobody expected still fails an action the way every failure does: with a type, and the number of the attempt. */
export function asFailure(error: unknown): unknown {
  if (error instanceof TemporalFailure) return error;
  return failure({ type: 'action-error', message: messageOf(error), cause: error });
}

/** An attempt that an abort ends says its number too, or nobody would know that one was there; and what else is known of it. */
export function asAborted(error: unknown, known: object = {}): unknown {
  const isAborted = Context.current().cancellationDetails?.cancelRequested === true;
  if (!isAborted || !(error instanceof CancelledFailure)) return error;
  const details: AttemptDetails = { attempts: attempt(), ...known };
  return new CancelledFailure(error.message, [details], error);
}

export function attempt(): number {
  return Context.current().info.attempt;
}
