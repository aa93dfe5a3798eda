import type { InboxItem, Pause } from '../contract/watch.js';
import { byteLength } from './watch-state.js';

export type EventItem = Extract<InboxItem, { kind: 'event' }>;

export interface Inbox {
  addEvents(events: unknown[], pause: Pause | undefined): void;
  addRearm(rule: string | undefined): void;
  /** A kill switch: what has arrived and is not judged yet is paused too. */
  pauseAll(pause: Pause): void;
  /** The next things to handle: one re-arm, or events up to the next re-arm. They stay until `drop`. */
  peek(maxEvents: number): InboxItem[];
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
  let sizes: number[] = [];

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
    peek(maxEvents) {
      if (waiting[0]?.kind === 'rearm') return waiting.slice(0, 1);
      const end = waiting.findIndex(({ kind }, index) => kind === 'rearm' || index === maxEvents);
      return end === -1 ? waiting.slice() : waiting.slice(0, end);
    },
    drop(count) {
      waiting = waiting.slice(count);
      sizes = sizes.slice(count);
    },
    size: () => waiting.length,
    items: () => waiting,
    bytes() {
      for (const item of waiting.slice(sizes.length)) sizes.push(byteLength(item));
      return sizes.reduce((sum, size) => sum + size, 0);
    },
  };
}
