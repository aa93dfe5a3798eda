import { ApplicationFailure } from '@temporalio/workflow';
import type { FailureType } from '#contract/failures.js';

/** What closes a workflow as failed, or refuses an update: trying again would not help. */
export function finalFailure(type: FailureType, message: string, details: unknown[] = []): ApplicationFailure {
  const error = ApplicationFailure.create({ type, message, details, nonRetryable: true });
  // Where in our code it was made tells an operator nothing, and stands above the result in the UI.
  error.stack = '';
  return error;
}
