import { setTimeout as wait } from 'node:timers/promises';
import { QueryNotRegisteredError, type WorkflowClientInterceptor } from '@temporalio/client';
import { EARLY_QUERY } from '#contract/names.js';
import { within } from './within.js';

const PAUSES_MS = [50, 500, 1_500];
/** A query to a worker that has died waits about so long for the next one. Whoever comes after it then gets a chance as well. */
const TURN_MS = 6_000;

/**
 * Asks a workflow one thing at a time, and asks again what a worker has refused to answer just now: the task that was in the way
 * is done soon. When several queries wait as one is refused, the SDK may forget that task for ten seconds. See ADR 9.
 */
export function patientQueries({ turnMs = TURN_MS } = {}): WorkflowClientInterceptor {
  const lastOf = new Map<string, Promise<unknown>>();
  return {
    async query(input, next) {
      const workflow = input.workflowExecution.workflowId ?? '';
      const mine = within(turnMs, Promise.allSettled([lastOf.get(workflow)])).then(() => ask(() => next(input)));
      lastOf.set(workflow, mine);
      try {
        return await mine;
      } finally {
        if (lastOf.get(workflow) === mine) lastOf.delete(workflow);
      }
    },
  };
}

async function ask(query: () => Promise<unknown>): Promise<unknown> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await query();
    } catch (error) {
      if (!isRefused(error)) throw error;
    }
    await wait(pauseMs);
  }
  return query();
}

/** The client has one error for every query that a worker does not answer; the code is in what it says. */
export function isRefused(error: unknown): boolean {
  return error instanceof QueryNotRegisteredError && error.message.startsWith(EARLY_QUERY);
}
