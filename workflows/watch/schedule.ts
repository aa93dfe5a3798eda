import { MAX_HISTORY_BYTES } from '../limits.js';
import { type Ledgers, rowsOf } from './ledgers/index.js';
import type { Due } from './ledgers/ledger.js';
import { IDLE_AFTER_MS, IDLE_HISTORY_EVENTS, MAX_STATE_BYTES } from './limits.js';

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
export function nextWake(ledgers: Ledgers, run: RunFacts, now: number): { at: number; summary: string } {
  const { hold, pause, lastEventAt } = ledgers.standing;
  const { prunedAt, history, idleCloseMs } = run;
  const due = dueOf(ledgers);
  const wakes = due.map(({ at, summary, stepMs }) => ({
    at: stepMs > 0 ? Math.max(at, prunedAt + stepMs) : at,
    summary,
  }));
  if (!hold && history.events > IDLE_HISTORY_EVENTS) {
    const at = Math.max(lastEventAt, prunedAt) + IDLE_AFTER_MS;
    wakes.push({ at, summary: 'continues as new if nothing happens' });
  }
  // Not while there is something to remember: it would ring at once, again and again, until that is forgotten.
  if (!hold && !pause && due.length === 0) {
    wakes.push({ at: Math.max(lastEventAt + idleCloseMs, now + 1), summary: 'closes if idle' });
  }
  return wakes.reduce((first, one) => (one.at < first.at ? one : first), { at: Infinity, summary: '' });
}

export function isIdleForGood(ledgers: Ledgers, { waiting, idleCloseMs }: RunFacts, now: number): boolean {
  const { pause, hold, lastEventAt } = ledgers.standing;
  if (now - lastEventAt < idleCloseMs || waiting.items > 0 || pause || hold) return false;
  return dueOf(ledgers).length === 0;
}

export function isTimeForNextRun({ standing }: Ledgers, run: RunFacts, now: number): boolean {
  const { lastEventAt, pause } = standing;
  const { waiting, history, hasGapAhead, isCancelled, maxHistoryEvents } = run;
  if (!canSave(waiting.bytes)) return false;
  // Once that pause is over, the next request to cancel must pause it again.
  if (isCancelled && !pause) return true;
  if (history.events >= maxHistoryEvents || history.bytes >= MAX_HISTORY_BYTES) return true;
  // A signal that slips in makes the run replay whole, and stall for most of a second. So a shorter run ends where none is likely.
  const isQuiet = waiting.items === 0 && (hasGapAhead || now - lastEventAt >= IDLE_AFTER_MS);
  return isQuiet && history.events > IDLE_HISTORY_EVENTS;
}

/** A third of the state may be waiting events; with more than that the watch stays in its run until they are judged. */
export function canSave(inboxBytes: number): boolean {
  return inboxBytes <= MAX_STATE_BYTES / 3;
}

function dueOf(ledgers: Ledgers): Due[] {
  return rowsOf(ledgers).flatMap(([, ledger]) => ledger.due?.() ?? []);
}
