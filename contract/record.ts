import type { SkipCode } from './verdict.js';
import type { RecordedEnding, RecordedEvent } from './views/events.js';

// The record: what people ask later. Losing it loses no guard and no remediation.

export type Entry =
  | ({ kind: 'event' } & RecordedEvent)
  /** A rule has fired for it, and its remediation could not be started. */
  | { kind: 'not-started'; eventId: string; rule: string; reason: string }
  | ({ kind: 'ending' } & RecordedEnding);

/** Takes what workflows tell, before what they decided is committed: so nothing is missing, and some may come twice. */
export type TellRecord = (tenant: string, entries: Entry[]) => void;

/** Which events to list; what is absent does not matter. */
export interface EventFilter {
  /** Default: `default`. */
  tenant?: string;
  session?: string;
  tool?: string;
  /** Events that this rule gave a verdict on. */
  rule?: string;
  /** The name of the event. */
  event?: string;
  /** `fired`: a rule fired. `skipped`: none did. */
  verdict?: 'fired' | 'skipped';
  /** Events with such a skip. */
  code?: SkipCode;
  /** Judged since then. */
  sinceAt?: number;
  /** From 1 to 200; default 50. */
  limit?: number;
  /** `nextPage` of the page before. */
  page?: string;
}
