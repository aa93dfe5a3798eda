import { describeDropped, type DroppedNews, type WatchStatus } from '#contract/watch.js';
import { byteLength } from '../../byte-length.js';
import type { Judged } from '../judged.js';

/** One thing that the watch remembers: one file with this face, and one row in `index.ts`. */
export interface Ledger<Saved = unknown> {
  /** Takes over what the run before has left. */
  load(saved: Saved): void;
  /** What goes through continue-as-new, as JSON. */
  save(): Saved;
  /** What it can give up when all ledgers together are too large. */
  shed?: readonly Shedding[];
  /** Forgets what is over. */
  prune?(now: number): void;
  /** When the first of its kinds of things are over. The watch must be there then: while there is any, it does not close. */
  due?(): Due[];
  /** Remembers what one event teaches. The event is judged by then, and nothing in here may throw. */
  learn?(judged: Judged): void;
  /** Its part of the status. */
  show?(): StatusPart;
  /** Its part of the current details, in Markdown; nothing when there is nothing to say. */
  details?(): string;
}

export type StatusPart = { [Part in keyof WatchStatus]?: Partial<WatchStatus[Part]> };

export interface Due {
  at: number;
  /** Why the watch wakes then, for people. */
  summary: string;
  /** It can wait until so much time has passed since the watch last pruned. */
  stepMs: number;
}

export interface Shedding {
  what: Dispensable;
  shed(): void;
}

/** What goes when there is too much, in this order. Windows go last of all, and are counted. */
export const DISPENSABLE = [
  'words of agents whose end was told',
  'verdicts',
  'ends that nobody has asked for',
  'messages',
  'alerts',
  'agents',
] as const;

export type Dispensable = (typeof DISPENSABLE)[number];

/** For the earliest of many things, if there are any. */
export function dueFirst(times: Iterable<number>, summary: string, stepMs: number): Due[] {
  let at = Infinity;
  for (const one of times) at = Math.min(at, one);
  return at === Infinity ? [] : [{ at, summary, stepMs }];
}

/** For people, who may have something to do about it. */
export function describeTooMany(dropped: Partial<DroppedNews>): string {
  const parts = describeDropped({ messages: 0, alerts: 0, ...dropped });
  return parts.length === 0 ? '' : `**Dropped** because there was too much of it: ${parts.join('; ')}`;
}

/** The last of a list that fit into so many bytes. */
export function lastWithin<T>(list: T[], maxBytes: number): T[] {
  let bytes = 0;
  const first = list.findLastIndex((one) => (bytes += byteLength(one)) > maxBytes);
  return list.slice(first + 1);
}
