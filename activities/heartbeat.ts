import { Context } from '@temporalio/activity';
import type { AttemptDetails } from '#contract/attempt.js';
import { attempt } from './fail.js';

const HEARTBEAT_MS = 1_000;

/**
 * Tells the server every second that this attempt lives, so that a dead worker is noticed soon and an abort arrives
 * soon. `run` may change the details; they come back to the next attempt, and to the workflow if time runs out.
 */
export async function withHeartbeat<T>(
  run: () => Promise<T>,
  details: AttemptDetails = { attempts: attempt() },
): Promise<T> {
  const context = Context.current();
  const beat = setInterval(() => context.heartbeat(details), HEARTBEAT_MS);
  try {
    const running = run();
    // After the start of what runs: heartbeats are throttled, and the first should carry what the start has added.
    context.heartbeat(details);
    return await running;
  } finally {
    clearInterval(beat);
  }
}
