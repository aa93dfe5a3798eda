import type { Notice, Suppressed } from './notice.js';
import type { OpenIncident } from './notification.js';
import type { AgentOutcome } from './remediation.js';
import type { LoggedVerdict, SkipCode } from './verdict.js';

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
  /** What the run before this one carried over. */
  saved?: SavedWatch;
}

/** The one JSON value that outlives a run of the watch; see `workflows/watch-state.ts`. */
export interface SavedWatch {
  guards: SavedGuards;
  counters: WatchCounters;
  verdicts: LoggedVerdict[];
  chains: SavedChain[];
  paused?: Pause;
  ruleset?: KnownRuleset;
  inbox: InboxItem[];
  lastEventAt: number;
  runs: number;
  agents?: KnownAgent[];
  ends?: UnclaimedEnd[];
  incidents?: OpenIncident[];
  /** Messages that wait for the end of a pause. */
  notices?: Notice[];
  /** For incidents that deliveries tell of later. */
  successes?: NotedSuccess[];
  /** Hashes of sessions in which a rule has fired, and when it last did. */
  troubled?: [session: string, firedAt: number][];
}

/** What waits to be handled, in order of arrival. */
export type InboxItem = { kind: 'event'; event: unknown; pause?: Pause } | { kind: 'rearm'; rule?: string };

export interface SavedGuards {
  /** Hashed event ids, oldest first, parted by spaces. */
  seen: string;
  /** Rule, key, expiry, label (empty: none), what it kept quiet. */
  cooldowns: [rule: string, key: string, untilAt: number, label?: string, suppressed?: SavedSuppression][];
  /** Per rule and action: keys and expiries, parted by spaces. */
  dedups: [rule: string, action: string, keys: string][];
  /** Windows dropped before their time because the state grew too large. */
  evicted: number;
}

/** With hashes of the sessions that are not noted by name. */
export interface SavedSuppression extends Suppressed {
  others?: string[];
}

/** An agent that a remediation started: what it reports belongs to the chain, whether it says so or not. */
export interface KnownAgent {
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
  /** When the watch first heard of it; it fills this in itself. */
  sinceAt?: number;
}

/** The end of an agent nobody knew yet: its launcher may tell only later that it started it. */
export interface UnclaimedEnd {
  ids: string[];
  outcome: AgentOutcome;
  outputTail?: string;
  at: number;
}

/** The last success of a task and tool, in a session or chain in which a rule has fired. */
export interface NotedSuccess {
  session?: string;
  root?: string;
  task?: string;
  tool?: string;
  /** By the clock of its reporter. */
  occurredAt: number;
  /** When the watch heard of it. */
  at: number;
  by: { event: string; eventId: string };
}

export interface Pause {
  sinceAt: number;
  reason?: string;
}

export interface KnownRuleset {
  hash: string;
  source: string;
  problems: string[];
}

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
  incidents?: { rule: string; team: string; channel: string; openedAt: number; task?: string; tool?: string }[];
  history: { events: number; runs: number };
}
