import type { InboxItem, Pause } from '../contract/watch.js';
import { byteLength } from './watch-state.js';

export type EventItem = Extract<InboxItem, { kind: 'event' }>;

export interface Inbox {
  addEvents(events: unknown[], pause: Pause | undefined): void;
  addRearm(rule: string | undefined): void;
  /** A kill switch: what has arrived and is not judged yet is paused too. */
  pauseAll(pause: Pause): void;
  first(): InboxItem | undefined;
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
  let waiting = items;
  // Sizes of the first items, taken only when asked for: each item is measured once, however long it waits.
  let sizes: (number | undefined)[] = [];

  return {
    addEvents(events, pause) {
      for (const event of events) waiting.push({ kind: 'event', event, ...(pause && { pause }) });
    },
    addRearm(rule) {
      waiting.push({ kind: 'rearm', ...(rule !== undefined && { rule }) });
    },
    pauseAll(pause) {
      for (const item of waiting) if (item.kind === 'event') item.pause = pause;
      sizes = [];
    },
    first: () => waiting[0],
    peek(maxEvents, maxBytes) {
      let count = 0;
      let bytes = 0;
      for (const item of waiting) {
        bytes += sizeOf(count);
        // At least one, however large.
        if (count > 0 && (item.kind === 'rearm' || count === maxEvents || bytes > maxBytes)) break;
        count++;
        if (item.kind === 'rearm') break;
      }
      return waiting.slice(0, count);
    },
    drop(count) {
      waiting = waiting.slice(count);
      sizes = sizes.slice(count);
    },
    size: () => waiting.length,
    items: () => waiting,
    bytes: () => waiting.reduce((sum, _item, index) => sum + sizeOf(index), 0),
  };

  function sizeOf(index: number): number {
    const size = sizes[index] ?? byteLength(waiting[index]);
    sizes[index] = size;
    return size;
  }
}
