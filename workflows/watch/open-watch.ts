import { workflowInfo } from '@temporalio/workflow';
import type { WatchInput } from '#contract/watch.js';
import { type Alarm, createAlarm } from './alarm.js';
import { createInbox, type Inbox, type InboxItem } from './inbox.js';
import { type Ledgers, loadLedgers, pruneLedgers, type SavedLedgers, saveLedgers } from './ledgers/index.js';
import { byteLength } from './byte-length.js';
import { IDLE_CLOSE_MS, MAX_BATCH_EVENTS, MAX_HISTORY_EVENTS, MAX_STATE_BYTES } from './limits.js';
import type { RunFacts } from './schedule.js';

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
