import { TemporalFailure } from '@temporalio/common';
import { messageOf } from '#contract/text/words.js';
import { asAborted, failure } from '../../fail.js';
import { TargetFailure } from './target.js';

/** Whatever went wrong as a failure of the activity, in the words that are documented. A cancellation stays what it is. */
export function failureOf(error: unknown, say: (message: string) => string): unknown {
  if (error instanceof TemporalFailure) return asAborted(error);
  const message = say(messageOf(error));
  if (!(error instanceof TargetFailure)) return failure({ type: 'action-error', message, cause: error });
  const { isFinal, retryAfterMs, cause } = error;
  return failure({ type: isFinal ? 'bridge-refused' : 'bridge-failed', message, isFinal, retryAfterMs, cause });
}
