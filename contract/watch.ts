import { plural } from './text/words.js';
import type { OpenAlert } from './notification.js';
import type { SkipCode } from './verdict.js';
import type { DroppedNews, RuleCounters } from './views/watch.js';
import { watchId } from './ids.js';
import { WORKFLOW_TYPES } from './names.js';

export type {
  DroppedNews,
  KnownConfigTrouble,
  KnownRuleset,
  Pause,
  RuleCounters,
  SavedChain,
  WatchStatus,
} from './views/watch.js';

/** Arguments of the watch's messages, and what its queries answer. */

export interface RearmRequest {
  /** Absent: every rule of the tenant. */
  rule?: string;
}

export interface PauseRequest {
  reason?: string;
}

/** Second argument of a signal with events, now and then. */
export interface BatchHint {
  /** Nothing more comes from this sender for a moment: a good one for continuing as new. */
  gapAhead: boolean;
}

export interface VerdictsQuery {
  eventId?: string;
}

export interface JudgementQuery {
  eventId: string;
}

export interface WatchInput {
  tenant: string;
  /** Continue as new from about this many events of history. */
  maxHistoryEvents?: number;
  /** Complete after this long without an event or a live guard. */
  idleCloseMs?: number;
}

/** An agent that a remediation starts: what it reports belongs to the chain, whether it says so or not. */
export interface AnnouncedAgent {
  /** Agent and session ids by which it may report. */
  ids: string[];
  /** Of what it reports: one more than that of the event it was started for. */
  depth: number;
  root: string;
  /** The rules that fired on the way to it, that of its remediation the last. */
  path: string[];
  remediation: string;
  action: string;
  /** The remediation wants to hear of its end. */
  isAwaited: boolean;
  untilAt: number;
}

/** Which alert is meant: that of a receiver under a key. */
export type AlertsQuery = Pick<OpenAlert, 'team' | 'channel' | 'key'>;

/** All counts are events: how many came, how many times a rule fired, how many times one was suppressed, by code. */
export interface WatchCounters {
  events: number;
  fired: number;
  skipped: Partial<Record<SkipCode, number>>;
  rules: [rule: string, counters: RuleCounters][];
}

/** For people, who may have something to do about it. */
export function describeDropped({ messages, alerts }: DroppedNews): string[] {
  return [
    ...(messages > 0 ? [`${plural(messages, 'message')} that waited`] : []),
    ...(alerts > 0 ? [`${plural(alerts, 'open alert')}, which people must resolve at the receiver`] : []),
  ];
}

/** How the watch of a tenant is started. Every sender of a first signal starts it in the same way. */
export function watchStart(tenant: string): {
  type: string;
  workflowId: string;
  input: WatchInput;
  summary: string;
  searchAttributes: { MeshTenant: string };
} {
  return {
    type: WORKFLOW_TYPES.watch,
    workflowId: watchId(tenant),
    input: { tenant },
    summary: `Watch of tenant ${tenant}: judges events, remembers guards, starts remediations`,
    searchAttributes: { MeshTenant: tenant },
  };
}
