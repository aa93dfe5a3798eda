import { Context } from '@temporalio/activity';
import type { AttemptDetails } from '#contract/attempt.js';
import { messageOf } from '#contract/text/words.js';
import type { DeliveryDetails, DeliveryRequest } from '#contract/notification.js';
import { attempt, failure } from '../../fail.js';
import type { DeliveryAnswer } from '#contract/notification.js';
import { noneLeft } from './retry-ladder.js';

export type Undelivered = Extract<DeliveryAnswer, { delivered: false }>;

/** What one attempt leaves to the next, through its heartbeats. */
export type Memory = Omit<DeliveryDetails, keyof AttemptDetails>;

export function memoryOfEarlier(): Memory {
  const { perhapsArrived, lastError, putOffs } = (Context.current().info.heartbeatDetails ?? {}) as Memory;
  return {
    ...(perhapsArrived !== undefined && { perhapsArrived }),
    ...(lastError !== undefined && { lastError }),
    ...(putOffs !== undefined && { putOffs }),
  };
}

export function memoryAfter(before: Memory, { isPutOff, mayHaveArrived, reason }: Undelivered): Memory {
  // What the receiver itself said is worth more to whoever reads the record.
  if (isPutOff) return { ...before, lastError: before.lastError ?? reason, putOffs: (before.putOffs ?? 0) + 1 };
  const perhapsArrived = (before.perhapsArrived ?? 0) + (mayHaveArrived ? 1 : 0);
  return { ...before, lastError: reason, perhapsArrived };
}

/**
 * Attempts that were made, this one among them. The server counts those that were put off too, so how many a rule allows is
 * watched over here.
 */
export function made({ putOffs = 0 }: Memory): number {
  // Whoever resets the activity by hand has the server count anew.
  return Math.max(0, attempt() - putOffs);
}

/** There may be none: the last one may have ended with its worker, or with its time. */
export function requireOneLeft({ retry }: DeliveryRequest, before: Memory): void {
  const attempts = made(before) - 1;
  const never = noneLeft(attempts, retry);
  if (never === undefined) return;
  const earlier = before.lastError === undefined ? '' : `; before that: ${before.lastError}`;
  const message = `${never}: the last one ended with its worker or its time, and may have arrived${earlier}`;
  throw failure({ type: 'delivery-refused', message, isFinal: true, attempts });
}

/** What went wrong around an attempt is final too when it was the last one. */
export function asLast({ retry }: DeliveryRequest, before: Memory): (error: unknown) => never {
  return (error) => {
    const attempts = made(before);
    const never = noneLeft(attempts, retry);
    if (never === undefined) throw error;
    const message = `${never}: ${messageOf(error)}`;
    throw failure({ type: 'delivery-refused', message, isFinal: true, attempts, cause: error });
  };
}
