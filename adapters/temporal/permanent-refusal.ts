import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { messageOf } from '#contract/text/words.js';

const PERMANENT_CODES = new Set([3 /* INVALID_ARGUMENT */, 9 /* FAILED_PRECONDITION */]);

/** What the server said, when no retry can mend it: the watch must say so and go on. Anything else is tried again. */
export function permanentRefusal(error: unknown): string | undefined {
  const cause = error instanceof ServiceError ? error.cause : error;
  if (!isGrpcServiceError(cause) || !PERMANENT_CODES.has(cause.code)) return undefined;
  // The connection of a worker leaves the details empty.
  return cause.details || messageOf(cause);
}
