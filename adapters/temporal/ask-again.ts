import { setTimeout } from 'node:timers/promises';
import { QueryNotRegisteredError, type WorkflowClientInterceptor } from '@temporalio/client';

const PAUSES_MS = [50, 500, 1_500];

/** Asks again what a worker has refused to answer just now (workflows/early-queries.ts): the task that was in the way is done soon. */
export const askAgain: WorkflowClientInterceptor = {
  async query(input, next) {
    for (const pauseMs of PAUSES_MS) {
      try {
        return await next(input);
      } catch (error) {
        // The client knows no other name for a query that a worker does not answer.
        if (!(error instanceof QueryNotRegisteredError)) throw error;
      }
      await setTimeout(pauseMs);
    }
    return next(input);
  },
};
