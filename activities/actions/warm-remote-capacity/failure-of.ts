import { failure } from '../../fail.js';
import { TargetFailure } from './target.js';

/** A failure of the target as one of the activity. Anything else, a cancellation above all, stays what it is. */
export function failureOf(error: unknown, say: (message: string) => string): unknown {
  if (!(error instanceof TargetFailure)) return error;
  const { message, isFinal, retryAfterMs, cause } = error;
  return failure({
    type: isFinal ? 'bridge-refused' : 'bridge-failed',
    message: say(message),
    isFinal,
    retryAfterMs,
    cause,
  });
}
