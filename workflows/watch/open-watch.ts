import { CancellationScope, isCancellation, sleep, workflowInfo } from '@temporalio/workflow';
import type { WatchInput } from '#contract/watch.js';
import { createInbox, type Inbox, type InboxItem } from './inbox.js';
import { type Ledgers, loadLedgers, pruneLedgers, type SavedLedgers, saveLedgers } from './ledgers/index.js';
import { byteLength } from '../byte-length.js';
import { IDLE_CLOSE_MS, MAX_BATCH_EVENTS, MAX_HISTORY_EVENTS, MAX_STATE_BYTES } from './limits.js';
import type { RunFacts } from './schedule.js';
import { summaryOf } from '#contract/text/shorten.js';

/** What a run of the watch is given: the first by whoever signals it, the others by the run before. */
export interface WatchRunInput extends WatchInput {
  saved?: SavedWatch;
}

/** The one JSON value that outlives a run of the watch. What is not in here is forgotten. */
export type SavedWatch = SavedLedgers & { inbox: InboxItem[] };

export interface Watch {
  tenant: string;
  ledgers: Ledgers;
  inbox: Inbox;
  alarm: Alarm;
  run: Run;
}

/** What is known of this run only. */
interface Run extends Pick<RunFacts, 'prunedAt' | 'hasGapAhead' | 'isCancelled' | 'maxHistoryEvents' | 'idleCloseMs'> {
  /** How many events are judged in one go. */
  batchEvents: number;
}

export function openWatch({ tenant, saved, ...input }: WatchRunInput, now: number): Watch {
  const { idleCloseMs = IDLE_CLOSE_MS, maxHistoryEvents = MAX_HISTORY_EVENTS } = input;
  const run = { prunedAt: now, hasGapAhead: false, isCancelled: false, batchEvents: MAX_BATCH_EVENTS };
  return {
    tenant,
    ledgers: loadLedgers(tenant, saved, now),
    inbox: createInbox(saved?.inbox ?? []),
    alarm: createAlarm(),
    run: { ...run, idleCloseMs, maxHistoryEvents },
  };
}

/** Events that wait are never dropped: see `canSave`. */
export function saveWatch(
  ledgers: Ledgers,
  inbox: InboxItem[],
  maxBytes = MAX_STATE_BYTES,
  now = Date.now(),
): SavedWatch {
  return { ...saveLedgers(ledgers, maxBytes - byteLength({ inbox }), now), inbox };
}

export function prune({ ledgers, run }: Watch, now: number): void {
  run.prunedAt = now;
  pruneLedgers(ledgers, now);
}

export function factsOf({ inbox, run }: Watch): RunFacts {
  const { historyLength, historySize } = workflowInfo();
  const waiting = { items: inbox.size(), bytes: inbox.bytes() };
  return { ...run, waiting, history: { events: historyLength, bytes: historySize } };
}

interface Alarm {
  /** Makes sure the alarm rings at `at` or before: who hears it looks at the clock and asks again. */
  ringBy(at: number, summary: string): void;
  isRinging(): boolean;
  silence(): void;
}

/**
 * One durable timer for everything the watch waits for. A timer per wait would cost two events of history each time an
 * event comes in before it; this one is moved only when something is due earlier than it would ring.
 */
function createAlarm(): Alarm {
  let ringsAt = Infinity;
  let ringing = false;
  let current: CancellationScope | undefined;

  return { ringBy, isRinging: () => ringing, silence: () => (ringing = false) };

  function ringBy(at: number, summary: string): void {
    if (at >= ringsAt) return;
    current?.cancel();
    ringsAt = at;
    const mine = new CancellationScope();
    current = mine;
    void wait(mine, Math.max(1, at - Date.now()), summary);
  }

  async function wait(mine: CancellationScope, ms: number, summary: string): Promise<void> {
    try {
      await mine.run(() => sleep(ms, { summary: summaryOf(summary) }));
    } catch (error) {
      // Moved to an earlier time. The watch itself is never cancelled.
      if (isCancellation(error)) return;
      throw error;
    }
    if (current !== mine) return;
    ringing = true;
    ringsAt = Infinity;
    current = undefined;
  }
}
