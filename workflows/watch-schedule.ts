import { FORGET_STEP_MS, IDLE_AFTER_MS, IDLE_HISTORY_EVENTS, MAX_HISTORY_BYTES, PRUNE_STEP_MS } from './limits.js';
import { nextToForgetAt } from './forget-old.js';
import { canSave, type WatchState } from './watch-state.js';

/** What decides about the rest of a run, besides what the watch remembers. */
export interface RunFacts {
  /** When the watch last looked for what has expired, in this run or at the end of the one before. */
  prunedAt: number;
  waiting: { items: number; bytes: number };
  history: { events: number; bytes: number };
  /** The last sender has said that nothing more comes from it for a moment. */
  hasGapAhead: boolean;
  /** Temporal tells a run of one request to cancel it, and takes any further one without a word. */
  isCancelled: boolean;
  maxHistoryEvents: number;
  idleCloseMs: number;
}

/** When the watch has to wake at the latest, and what for: to an expiry, a quiet continue-as-new, or its end. */
export function nextWake(state: WatchState, run: RunFacts, now: number): { at: number; summary: string } {
  const { memory, hold, pause, lastEventAt } = state;
  const { prunedAt, history, idleCloseMs } = run;
  let next = { at: Infinity, summary: '' };
  const consider = (at: number, summary: string) => {
    if (at < next.at) next = { at, summary };
  };
  for (const { rule, untilAt } of memory.cooldowns.values()) consider(untilAt, `cooldown of ${rule} ends`);
  for (const { untilAt } of memory.dedups.values()) {
    consider(Math.max(untilAt, prunedAt + PRUNE_STEP_MS), 'dedup windows end');
  }
  if (!hold && history.events > IDLE_HISTORY_EVENTS) {
    consider(Math.max(lastEventAt, prunedAt) + IDLE_AFTER_MS, 'continues as new if nothing happens');
  }
  const toForgetAt = nextToForgetAt(state);
  if (toForgetAt !== undefined) consider(Math.max(toForgetAt, prunedAt + FORGET_STEP_MS), 'forgets what is old');
  // Not while there is something to remember: it would ring at once, again and again, until that is forgotten.
  if (!hold && !pause && !remembersAnything(state)) {
    consider(Math.max(lastEventAt + idleCloseMs, now + 1), 'closes if idle');
  }
  return next;
}

export function isIdleForGood(state: WatchState, { waiting, idleCloseMs }: RunFacts, now: number): boolean {
  if (waiting.items > 0 || state.pause || state.hold || remembersAnything(state)) return false;
  return now - state.lastEventAt >= idleCloseMs;
}

export function isTimeForNextRun({ lastEventAt, pause }: WatchState, run: RunFacts, now: number): boolean {
  const { waiting, history, hasGapAhead, isCancelled, maxHistoryEvents } = run;
  if (!canSave(waiting.bytes)) return false;
  // Once that pause is over, the next request to cancel must pause it again.
  if (isCancelled && !pause) return true;
  if (history.events >= maxHistoryEvents || history.bytes >= MAX_HISTORY_BYTES) return true;
  // A signal that slips in makes the run replay whole, and stall for most of a second. So a shorter run ends where none is likely.
  const isQuiet = waiting.items === 0 && (hasGapAhead || now - lastEventAt >= IDLE_AFTER_MS);
  return isQuiet && history.events > IDLE_HISTORY_EVENTS;
}

function remembersAnything(state: WatchState): boolean {
  const { memory, notices, incidents } = state;
  const windows = memory.cooldowns.size + memory.dedups.size;
  return windows + notices.length + incidents.size > 0 || nextToForgetAt(state) !== undefined;
}
