import type { LoggedVerdict } from '../contract/verdict.js';
import type {
  InboxItem,
  KnownRuleset,
  Pause,
  RuleCounters,
  SavedChain,
  SavedGuards,
  SavedWatch,
  WatchCounters,
  WatchInput,
} from '../contract/watch.js';
import { type Cooldown, type Dedup, type GuardMemory, emptyMemory, evictNearest } from '../rules/guards/memory.js';

export const MAX_STATE_BYTES = 1_500_000;
const VERDICTS_WHEN_CROWDED = 20;

/** Everything the watch remembers. What is not in here is forgotten when it continues as new. */
export interface WatchState {
  tenant: string;
  memory: GuardMemory;
  evicted: number;
  counters: Omit<WatchCounters, 'rules'> & { rules: Map<string, RuleCounters> };
  verdicts: LoggedVerdict[];
  chains: Map<string, SavedChain>;
  pause: Pause | undefined;
  ruleset: KnownRuleset | undefined;
  lastEventAt: number;
  runs: number;
}

export function loadWatchState({ tenant, saved }: WatchInput, now: number): WatchState {
  if (!saved) {
    return {
      tenant,
      memory: emptyMemory(),
      evicted: 0,
      counters: { events: 0, fired: 0, skipped: {}, rules: new Map() },
      verdicts: [],
      chains: new Map(),
      pause: undefined,
      ruleset: undefined,
      lastEventAt: now,
      runs: 1,
    };
  }
  return {
    tenant,
    memory: loadGuards(saved.guards),
    evicted: saved.guards.evicted,
    counters: { ...saved.counters, rules: new Map(saved.counters.rules) },
    verdicts: saved.verdicts,
    chains: new Map(saved.chains.map((chain) => [chain.root, chain])),
    pause: saved.paused,
    ruleset: saved.ruleset,
    lastEventAt: saved.lastEventAt,
    runs: saved.runs + 1,
  };
}

/**
 * The one JSON value that goes through continue-as-new. When it would be larger than `maxBytes`, what is only kept for people
 * goes first: what rules missed on, then old verdicts. Then the windows nearest to expiry go, and are counted. Events that
 * wait in the inbox are never dropped: see `canSave`.
 */
export function saveWatchState(state: WatchState, inbox: InboxItem[], maxBytes = MAX_STATE_BYTES): SavedWatch {
  const isTooLarge = () => byteLength(toSaved(state, inbox)) > maxBytes;
  if (isTooLarge()) state.verdicts = state.verdicts.map(({ missed: _missed, ...verdict }) => verdict);
  if (isTooLarge()) state.verdicts = state.verdicts.slice(-VERDICTS_WHEN_CROWDED);
  for (;;) {
    const saved = toSaved(state, inbox);
    const excess = byteLength(saved) - maxBytes;
    if (excess <= 0) return saved;
    const evicted = evictNearest(state.memory, excess, savedBytes);
    if (evicted === 0) return saved;
    state.evicted += evicted;
  }
}

/** A third of the state may be waiting events; with more than that the watch stays in its run until they are judged. */
export function canSave(inboxBytes: number): boolean {
  return inboxBytes <= MAX_STATE_BYTES / 3;
}

/** What a window adds to the saved state at least; a second look shows whether more must go. */
function savedBytes(key: string, window: Cooldown | Dedup): number {
  if ('action' in window) return `${key} ${window.untilAt.toString(36)} `.length;
  return byteLength([window.rule, key, window.untilAt, ...(window.label === undefined ? [] : [window.label])]) + 1;
}

function toSaved(state: WatchState, inbox: InboxItem[]): SavedWatch {
  return {
    guards: saveGuards(state),
    counters: { ...state.counters, rules: [...state.counters.rules] },
    verdicts: state.verdicts,
    chains: [...state.chains.values()],
    ...(state.pause && { paused: state.pause }),
    ...(state.ruleset && { ruleset: state.ruleset }),
    inbox,
    lastEventAt: state.lastEventAt,
    runs: state.runs,
  };
}

function saveGuards({ memory, evicted }: WatchState): SavedGuards {
  const dedups = new Map<string, { rule: string; action: string; keys: string[] }>();
  for (const [key, { rule, action, untilAt }] of memory.dedups) {
    const group = JSON.stringify([rule, action]);
    const known = dedups.get(group) ?? { rule, action, keys: [] };
    known.keys.push(key, untilAt.toString(36));
    dedups.set(group, known);
  }
  return {
    seen: [...memory.seen].join(' '),
    cooldowns: [...memory.cooldowns].map(([key, { rule, untilAt, label }]) =>
      label === undefined ? [rule, key, untilAt] : [rule, key, untilAt, label],
    ),
    dedups: [...dedups.values()].map(({ rule, action, keys }) => [rule, action, keys.join(' ')]),
    evicted,
  };
}

function loadGuards(saved: SavedGuards): GuardMemory {
  const memory = emptyMemory();
  for (const id of words(saved.seen)) memory.seen.add(id);
  for (const [rule, key, untilAt, label] of saved.cooldowns) {
    memory.cooldowns.set(key, { rule, untilAt, ...(label !== undefined && { label }) });
  }
  for (const [rule, action, keys] of saved.dedups) {
    const parts = words(keys);
    for (let index = 0; index < parts.length; index += 2) {
      memory.dedups.set(parts[index] ?? '', { rule, action, untilAt: parseInt(parts[index + 1] ?? '0', 36) });
    }
  }
  return memory;
}

function words(text: string): string[] {
  return text === '' ? [] : text.split(' ');
}

export function byteLength(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
