import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** The limit for the whole stop, so that nobody needs to kill the process. */
export const STOP_WITHIN_MS = 4_500;
/** For requests that are still arriving; those that wait for Temporal have a little longer. */
const ARRIVE_WITHIN_MS = 300;

/** Refuses new work, finishes what is on its way, and is done in under five seconds, whatever happens. */
export async function stopGateway(app: FastifyInstance, closeMesh: () => Promise<void>): Promise<void> {
  const giveUp = new AbortController();
  const timeIsUp = wait(STOP_WITHIN_MS, undefined, { signal: giveUp.signal }).catch(() => undefined);
  // From here on requests are answered with `stopping`; it resolves when the last connection is gone.
  const closed = app.close();
  const idle = setInterval(() => app.server.closeIdleConnections(), 50);
  await Promise.race([closed, wait(ARRIVE_WITHIN_MS)]);
  await Promise.race([Promise.allSettled([closeMesh(), closed]), timeIsUp]);
  clearInterval(idle);
  giveUp.abort();
  app.server.closeAllConnections();
  await closed;
}
