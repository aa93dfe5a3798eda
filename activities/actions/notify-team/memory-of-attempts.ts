import { Context } from '@temporalio/activity';
import { messageOf } from '#contract/text/words.js';
import type { DeliveryAnswer, DeliveryDetails, DeliveryRequest } from '#contract/notification.js';
import { attempt, failure } from '../../fail.js';
import { noneLeft } from './retry-ladder.js';

export type Undelivered = Extract<DeliveryAnswer, { delivered: false }>;

/**
 * What one attempt leaves to the next, through its heartbeats. `attempts` are those that were made: the server also counts those
 * that found the receiver busy.
 */
export type Memory = Omit<DeliveryDetails, 'detail'>;

export function memoryOfEarlier(): Memory {
  const known = (Context.current().info.heartbeatDetails ?? {}) as Partial<DeliveryDetails>;
  const handedOut = attempt() - 1;
  const { attempts = handedOut, perhapsArrived, lastError } = known;
  return {
    // Whoever resets the activity by hand has the server count anew.
    attempts: Math.min(attempts, handedOut),
    ...(perhapsArrived !== undefined && { perhapsArrived }),
    ...(lastError !== undefined && { lastError }),
  };
}

export function memoryAfter(
  { attempts, perhapsArrived = 0 }: Memory,
  { mayHaveArrived, reason }: Undelivered,
): Required<Memory> {
  return {
    attempts: attempts + 1,
    lastError: reason,
    perhapsArrived: perhapsArrived + (mayHaveArrived ? 1 : 0),
  };
}

/** There may be none: the last one may have ended with its worker, or with its time. */
export function requireOneLeft({ retry }: DeliveryRequest, { attempts, lastError }: Memory): void {
  const never = noneLeft(attempts, retry);
  if (never === undefined) return;
  const earlier = lastError === undefined ? '' : `; before that: ${lastError}`;
  const message = `${never}: the last one ended with its worker or its time, and may have arrived${earlier}`;
  throw failure({ type: 'delivery-refused', message, isFinal: true, attempts });
}

/** What went wrong around an attempt is final too when it was the last one. */
export function asLast({ retry }: DeliveryRequest, before: Memory): (error: unknown) => never {
  return (error) => {
    const attempts = before.attempts + 1;
    const never = noneLeft(attempts, retry);
    if (never === undefined) throw error;
    const message = `${never}: ${messageOf(error)}`;
    throw failure({ type: 'delivery-refused', message, isFinal: true, attempts, cause: error });
  };
}
