import { type Client, isGrpcCancelledError, isGrpcDeadlineError } from '@temporalio/client';

/** What was asked for may have been done all the same. */
export class NoAnswerError extends Error {}

/** Asks the server, which may take the question and never answer. Rejects with a `NoAnswerError` when the time is up. */
export async function answeredInTime<T>(client: Client, withinMs: number, ask: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + withinMs;
  try {
    return await client.withDeadline(deadline, ask);
  } catch (cause) {
    if (!isOverdue(cause, deadline)) throw cause;
    throw new NoAnswerError(`the Temporal server did not answer within ${withinMs} ms`, { cause });
  }
}

/**
 * A server that is quick says that the time is up. When it is slow, or gone, the connection notices first, and calls the
 * question cancelled: only the clock tells that from one that somebody else has cancelled.
 */
function isOverdue(error: unknown, deadline: number): boolean {
  return isGrpcDeadlineError(error) || (isGrpcCancelledError(error) && Date.now() >= deadline - CLOCK_MS);
}

/** What two clocks may differ by that count the same few seconds. */
const CLOCK_MS = 100;
