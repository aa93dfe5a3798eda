import { setTimeout } from 'node:timers/promises';
import { QueryNotRegisteredError, type WorkflowClientInterceptor } from '@temporalio/client';

const PAUSES_MS = [50, 500, 1_500];

/**
 * Asks a workflow one thing at a time, and asks again what a worker has refused to answer just now
 * (workflows/early-queries.ts): the task that was in the way is done soon. When several wait for an answer as it is refused,
 * the SDK may forget that task for ten seconds.
 */
export function patientQueries(): WorkflowClientInterceptor {
  const lastOf = new Map<string, Promise<unknown>>();
  return {
    async query(input, next) {
      const workflow = input.workflowExecution.workflowId ?? '';
      const mine = settled(lastOf.get(workflow)).then(() => ask(() => next(input)));
      lastOf.set(workflow, mine);
      try {
        return await mine;
      } finally {
        if (lastOf.get(workflow) === mine) lastOf.delete(workflow);
      }
    },
  };
}

async function settled(before: Promise<unknown> | undefined): Promise<void> {
  await before?.catch(() => undefined);
}

async function ask(query: () => Promise<unknown>): Promise<unknown> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await query();
    } catch (error) {
      // The client knows no other name for a query that a worker does not answer.
      if (!(error instanceof QueryNotRegisteredError)) throw error;
    }
    await setTimeout(pauseMs);
  }
  return query();
}
