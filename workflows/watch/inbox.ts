import type { Pause } from '#contract/watch.js';
import { byteLength } from './byte-length.js';
import { MAX_EVENT_BYTES } from './limits.js';

/** What waits to be handled, in order of arrival. */
export type InboxItem = { kind: 'event'; event: unknown; pause?: Pause } | { kind: 'rearm'; rule?: string };

export type EventItem = Extract<InboxItem, { kind: 'event' }>;

export interface Inbox {
  addEvents(events: unknown[], pause: Pause | undefined): void;
  addRearm(rule: string | undefined): void;
  /** A kill switch: what has arrived and is not judged yet is paused too. */
  pauseAll(pause: Pause): void;
  first(): InboxItem | undefined;
  /** Whether something waits that was reported during a pause. */
  hasPaused(): boolean;
  /** The next things to handle: one re-arm, or events up to the next re-arm or a limit. They stay until `drop`. */
  peek(maxEvents: number, maxBytes: number): InboxItem[];
  drop(count: number): void;
  size(): number;
  items(): InboxItem[];
  /** What the waiting items would add to the state carried through continue-as-new. */
  bytes(): number;
}

/** Keeps messages in order of arrival, so that a re-arm sent between two events acts between them. */
export function createInbox(items: InboxItem[]): Inbox {
  let waiting: { item: InboxItem; bytes: number }[] = [];
  items.forEach(add);

  return {
    addEvents(events, pause) {
      for (const event of events) add({ kind: 'event', event, ...(pause && { pause }) });
    },
    addRearm(rule) {
      add({ kind: 'rearm', ...(rule !== undefined && { rule }) });
    },
    pauseAll(pause) {
      for (const entry of waiting) {
        if (entry.item.kind !== 'event') continue;
        entry.item.pause = pause;
        entry.bytes = byteLength(entry.item);
      }
    },
    first: () => waiting[0]?.item,
    hasPaused: () => waiting.some(({ item }) => item.kind === 'event' && item.pause !== undefined),
    peek(maxEvents, maxBytes) {
      const taken: InboxItem[] = [];
      let total = 0;
      for (const { item, bytes } of waiting) {
        total += bytes;
        // At least one, however large.
        if (taken.length > 0 && (item.kind === 'rearm' || taken.length === maxEvents || total > maxBytes)) break;
        taken.push(item);
        if (item.kind === 'rearm') break;
      }
      return taken;
    },
    drop(count) {
      waiting = waiting.slice(count);
    },
    size: () => waiting.length,
    items: () => waiting.map(({ item }) => item),
    bytes: () => waiting.reduce((sum, { bytes }) => sum + bytes, 0),
  };

  function add(item: InboxItem): void {
    waiting.push(measured(item));
  }
}

/**
 * The events at the front that a pause refuses: they need no rules. Only those at the front, since that is where `drop` takes away
 * what was judged. There are none behind them: a pause marks all that waits, and what comes when it is over stands behind that.
 */
export function pausedAtFront(items: EventItem[]): EventItem[] {
  const end = items.findIndex(({ pause }) => pause === undefined);
  return end < 0 ? items : items.slice(0, end);
}

/**
 * An event nested so deep that it cannot be written as JSON cannot be kept either, nor one too large to be handed on: what is left
 * of it gets its verdict.
 */
function measured(item: InboxItem): { item: InboxItem; bytes: number } {
  try {
    const bytes = byteLength(item);
    return bytes <= MAX_EVENT_BYTES ? { item, bytes } : leftOf(item, `larger than ${MAX_EVENT_BYTES} bytes`);
  } catch {
    return leftOf(item, 'nested too deep');
  }
}

function leftOf(item: InboxItem, unreadable: string): { item: InboxItem; bytes: number } {
  const id = item.kind === 'event' ? eventIdOf(item.event)?.slice(0, 200) : undefined;
  const left: InboxItem = { kind: 'event', event: { id: id ?? '?', unreadable } };
  return { item: left, bytes: byteLength(left) };
}

/** The id of what may not be an event at all: anyone can signal a watch. */
export function eventIdOf(event: unknown): string | undefined {
  if (typeof event !== 'object' || event === null || !('id' in event)) return undefined;
  return typeof event.id === 'string' ? event.id : undefined;
}
