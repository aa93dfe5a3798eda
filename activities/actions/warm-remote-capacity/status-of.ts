import { Context } from '@temporalio/activity';
import { type CapacityTarget, TargetFailure, type TargetStatus } from './target.js';

const TRIES = 2;
const PAUSE_MS = 250;
/** Who wants to be asked later than this is not there now. */
const LONGEST_PAUSE_MS = 1_000;

export type StatusAnswer = { status: TargetStatus } | { unavailable: string };

/** Whether the target can be used at all. It answers soon or not: an action that only helps waits for nobody here. */
export async function statusOf(target: CapacityTarget, signal: AbortSignal): Promise<StatusAnswer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return { status: await target.status(signal) };
    } catch (error) {
      if (!(error instanceof TargetFailure)) throw error;
      const { message, isFinal, retryAfterMs = PAUSE_MS } = error;
      if (attempt === TRIES || isFinal || signal.aborted || retryAfterMs > LONGEST_PAUSE_MS) {
        return { unavailable: message };
      }
      await Context.current().sleep(Math.max(retryAfterMs, PAUSE_MS));
    }
  }
}
