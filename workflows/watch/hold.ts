import { sleep } from '@temporalio/workflow';
import { awaitRules } from './activities.js';

/** Events wait while the rules cannot be had: nothing is judged by guess and nothing is lost. */
export interface Hold {
  sinceAt: number;
  problems: string[];
  /** How long one that follows it waits before it asks for the rules. */
  nextPauseMs: number;
  isOver: boolean;
}

/**
 * Starts waiting for the rules; the hold says when it is over. Another worker than the one that judges may find them: then
 * this hold follows the one before, and waits longer each time, so that the two do not chase each other.
 */
export function startHold(tenant: string, problems: string[], before: Hold | undefined): Hold {
  const pauseMs = before?.nextPauseMs ?? 0;
  const nextPauseMs = Math.min(Math.max(pauseMs * 2, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
  const hold: Hold = { sinceAt: before?.sinceAt ?? Date.now(), problems, nextPauseMs, isOver: false };
  void waitForRules(tenant, hold, pauseMs);
  return hold;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

async function waitForRules(tenant: string, hold: Hold, pauseMs: number): Promise<void> {
  try {
    if (pauseMs > 0) await sleep(pauseMs, { summary: 'looks at the rules again' });
    await awaitRules(tenant);
  } catch {
    // Whatever went wrong, the next look at the rules decides.
  }
  hold.isOver = true;
}
