import type { ConfigTrouble } from './matched.js';
import type { OpenAlert } from './notification.js';
import type { SkipCode } from './verdict.js';

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

/** What nobody will be told because there was too much of it: messages that waited, and alerts that were open. */
export interface DroppedNews {
  messages: number;
  alerts: number;
}

/** Which alert is meant: that of a receiver under a key. */
export type AlertsQuery = Pick<OpenAlert, 'team' | 'channel' | 'key'>;

export interface Pause {
  sinceAt: number;
  reason?: string;
}

export interface KnownRuleset {
  hash: string;
  source: string;
  problems: string[];
  /** All rules of the file; absent when there are too many to keep. */
  ruleIds?: string[];
}

/** What workers have told with the events they judged: first at `sinceAt`, last at `seenAt`. */
export type KnownConfigTrouble = ConfigTrouble & { sinceAt: number; seenAt: number };

/** All counts are events: how many came, how many times a rule fired, how many times one was suppressed, by code. */
export interface WatchCounters {
  events: number;
  fired: number;
  skipped: Partial<Record<SkipCode, number>>;
  rules: [rule: string, counters: RuleCounters][];
}

export interface RuleCounters {
  fired: number;
  skipped: Partial<Record<SkipCode, number>>;
  lastFiredAt?: number;
}

/** How far one first event has led: remembered for a day, shown in `status`. */
export interface SavedChain {
  root: string;
  remediations: number;
  deepest: number;
  lastAt: number;
  /** Agents it has led to, and when the last ones were started. */
  spawns?: number;
  spawnedAt?: number[];
}

export interface WatchStatus {
  tenant: string;
  paused: Pause | null;
  ruleset: KnownRuleset | null;
  /** Set while `mesh.yaml` cannot be used as it is. */
  configTrouble?: KnownConfigTrouble;
  /** Events waiting because the rules cannot be read, and why. */
  held: { events: number; sinceAt: number; problems: string[] } | null;
  counters: Omit<WatchCounters, 'rules'> & { rules: Record<string, RuleCounters> };
  guards: {
    cooldowns: { rule: string; untilAt: number; label?: string }[];
    dedups: { rule: string; action: string; untilAt: number }[];
    /** Live windows of each kind, of which at most a thousand each, the nearest to expiry, are listed above. */
    live: { cooldowns: number; dedups: number };
    evicted: number;
    seenIds: number;
  };
  chains: SavedChain[];
  /** Agents that were started and may still report. */
  agents?: { known: number; awaited: number };
  /** Open at a receiver until a success is reported. */
  alerts?: {
    rule: string;
    team: string;
    channel: string;
    openedAt: number;
    /** The task, or else the tool, whose success closes it. */
    task?: string;
    tool?: string;
    /** It works again. The receiver is told when no cooldown or pause would suppress a repeat. */
    worksAgain?: true;
    /** What that waits for, in words, such as "the cooldown of the rule ends, 2026-01-02 03:05:05 UTC". */
    resolvedWhen?: string;
  }[];
  dropped?: DroppedNews;
  history: { events: number; runs: number };
}
