import type { FiredFor, Notice } from '#contract/notice.js';
import type { LoggedVerdict } from '#contract/verdict.js';
import type {
  DroppedNews,
  KnownConfigTrouble,
  KnownRuleset,
  Pause,
  SavedChain,
  WatchCounters,
  WatchInput,
} from '#contract/watch.js';
import type { KnownAgent } from '#rules/guards/known-agents.js';
import type { SavedSuppression } from '#rules/guards/suppressed.js';
import type { InboxItem } from './inbox.js';
import type { WatchedIncident } from './incidents.js';
import type { NotedSuccess } from './noted-successes.js';
import type { UnclaimedEnd } from './watch-agents.js';

/** What a run of the watch is given: the first by whoever signals it, the others by the run before. */
export interface WatchRunInput extends WatchInput {
  saved?: SavedWatch;
}

/** The one JSON value that outlives a run of the watch: see `watch-state.ts`. */
export interface SavedWatch {
  guards: SavedGuards;
  counters: WatchCounters;
  verdicts: LoggedVerdict[];
  chains: SavedChain[];
  agents: KnownAgent[];
  ends: UnclaimedEnd[];
  incidents: WatchedIncident[];
  /** For incidents that deliveries tell of later. */
  successes: NotedSuccess[];
  /** Hashes of sessions, and when a rule last fired in them. */
  sessionsWithFirings: [session: string, firedAt: number][];
  /** Messages that wait for the end of a pause. */
  notices: Notice[];
  dropped: DroppedNews;
  pause?: Pause;
  /** Since when and why events are held: people want to know it over any number of runs. */
  hold?: { sinceAt: number; problems: string[] };
  ruleset?: KnownRuleset;
  configTrouble?: KnownConfigTrouble;
  inbox: InboxItem[];
  lastEventAt: number;
  runs: number;
}

/** Windows are many, so they are lists without the names of their fields. */
export interface SavedGuards {
  /** Hashed event ids, oldest first, parted by spaces. */
  seen: string;
  /** An empty label is none. */
  cooldowns: [
    rule: string,
    key: string,
    untilAt: number,
    armedAt: number,
    label?: string,
    suppressed?: SavedSuppression | null,
    firedFor?: FiredFor,
  ][];
  /** Per rule and action: keys and expiries, parted by spaces. */
  dedups: [rule: string, action: string, keys: string][];
  /** Windows dropped before their time because the state grew too large. */
  evicted: number;
}
