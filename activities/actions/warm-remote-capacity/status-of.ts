import { Context } from '@temporalio/activity';
import { type CapacityTarget, TargetFailure, type TargetStatus } from './target.js';

const TRIES = 2;
const PAUSE_MS = 250;
/** A target that asks for a longer pause counts as unavailable. */
const LONGEST_PAUSE_MS = 1_000;

export type StatusAnswer = { status: TargetStatus } | { unavailable: string };

/** Whether the target can be used at all. This action only helps, so it does not wait long for an answer. */
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
