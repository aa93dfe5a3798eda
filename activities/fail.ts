import { ApplicationFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import type { AttemptDetails } from '../contract/activities.js';
import type { FailureType } from '../contract/failures.js';

export interface Failure {
  type: FailureType;
  message: string;
  /** True only on proof that trying again cannot help. */
  isFinal?: boolean;
  /** What the other side asked for. */
  retryAfterMs?: number | undefined;
  detail?: string;
  /** What else the workflow is to know of the attempt. */
  more?: Omit<AttemptDetails, 'attempts' | 'detail'>;
  cause?: unknown;
}

/** The one way an action fails: with a type, a reason for people, and the number of the attempt. */
export function failure({
  type,
  message,
  isFinal = false,
  retryAfterMs,
  detail,
  more,
  cause,
}: Failure): ApplicationFailure {
  const details: AttemptDetails = { attempts: attempt(), ...more, ...(detail !== undefined && { detail }) };
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

export function attempt(): number {
  return Context.current().info.attempt;
}
