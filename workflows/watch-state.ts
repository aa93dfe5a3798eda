import type { Notice } from '../contract/notice.js';
import type { OpenIncident } from '../contract/notification.js';
import type { LoggedVerdict } from '../contract/verdict.js';
import type {
  InboxItem,
  KnownAgent,
  KnownRuleset,
  NotedSuccess,
  Pause,
  RuleCounters,
  SavedGuards,
  SavedWatch,
  UnclaimedEnd,
  WatchCounters,
  WatchInput,
} from '../contract/watch.js';
import { type KnownAgents, listAgents } from '../rules/guards/known-agents.js';
import { type Cooldown, type Dedup, type GuardMemory, emptyMemory, evictNearest } from '../rules/guards/memory.js';
import { collectDigests } from './digests.js';
import { loadSuccesses } from './noted-successes.js';
import type { OutgoingNews } from './watch-agents.js';

export const MAX_STATE_BYTES = 1_500_000;
const VERDICTS_WHEN_CROWDED = 20;
const MAX_NOTICES_BYTES = 200_000;

/** Everything the watch remembers. What is not in here is forgotten when it continues as new. */
export interface WatchState {
  tenant: string;
  memory: GuardMemory;
  evicted: number;
  counters: Omit<WatchCounters, 'rules'> & { rules: Map<string, RuleCounters> };
  verdicts: LoggedVerdict[];
  ends: UnclaimedEnd[];
  incidents: OpenIncident[];
  successes: Map<string, NotedSuccess>;
  troubled: Map<string, number>;
  /** Messages to start. While the tenant is paused they wait, also through continue-as-new. */
  notices: Notice[];
  /** What remediations are to be told, at once: not carried over, so nothing may be left in here then. */
  outgoing: OutgoingNews[];
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
      ends: [],
      incidents: [],
      successes: new Map(),
      troubled: new Map(),
      notices: [],
      outgoing: [],
      pause: undefined,
      ruleset: undefined,
      lastEventAt: now,
      runs: 1,
    };
  }
  return {
    tenant,
    memory: loadMemory(saved),
    evicted: saved.guards.evicted,
    counters: { ...saved.counters, rules: new Map(saved.counters.rules) },
    verdicts: saved.verdicts,
    ends: saved.ends ?? [],
    incidents: saved.incidents ?? [],
    successes: loadSuccesses(saved.successes),
    troubled: new Map(saved.troubled),
    notices: saved.notices ?? [],
    outgoing: [],
    pause: saved.paused,
    ruleset: saved.ruleset,
    lastEventAt: saved.lastEventAt,
    runs: saved.runs + 1,
  };
}

/**
 * The one JSON value that goes through continue-as-new. When it would be larger than `maxBytes`, what is only kept for people
 * goes first, then what is old; then the windows nearest to expiry go, and are counted; what those kept quiet becomes messages
 * now. Events that wait in the inbox are never dropped: see `canSave`.
 */
export function saveWatchState(
  state: WatchState,
  inbox: InboxItem[],
  maxBytes = MAX_STATE_BYTES,
  now = Date.now(),
): SavedWatch {
  const isTooLarge = () => byteLength(toSaved(state, inbox)) > maxBytes;
  for (const shed of SHEDDABLE) if (isTooLarge()) shed(state);
  for (;;) {
    const saved = toSaved(state, inbox);
    const excess = byteLength(saved) - maxBytes;
    if (excess <= 0) return saved;
    const evicted = evictNearest(state.memory, excess, savedBytes);
    if (evicted === 0) return saved;
    state.evicted += evicted;
    collectDigests(state, now);
    state.notices = lastWithin(state.notices, MAX_NOTICES_BYTES);
  }
}

/** In this order: what rules missed on, old verdicts, what ended agents said, and the oldest of all that waits for something. */
const SHEDDABLE: ((state: WatchState) => void)[] = [
  (state) => (state.verdicts = state.verdicts.map(({ missed: _missed, ...verdict }) => verdict)),
  (state) => (state.verdicts = state.verdicts.slice(-VERDICTS_WHEN_CROWDED)),
  (state) => (state.ends = state.ends.map(({ outputTail: _outputTail, ...end }) => end)),
  (state) => (state.ends = lastWithin(state.ends, 50_000)),
  (state) => (state.notices = lastWithin(state.notices, MAX_NOTICES_BYTES)),
  (state) => (state.successes = loadSuccesses(lastWithin([...state.successes.values()], 50_000))),
  (state) => (state.incidents = lastWithin(state.incidents, 200_000)),
  ({ memory }) => {
    const kept = lastWithin(listAgents(memory.agents), 400_000);
    for (const [id, agent] of memory.agents) if (!kept.includes(agent)) memory.agents.delete(id);
  },
];

function lastWithin<T>(list: T[], maxBytes: number): T[] {
  let bytes = 0;
  const first = list.findLastIndex((one) => (bytes += byteLength(one)) > maxBytes);
  return list.slice(first + 1);
}

/** A third of the state may be waiting events; with more than that the watch stays in its run until they are judged. */
export function canSave(inboxBytes: number): boolean {
  return inboxBytes <= MAX_STATE_BYTES / 3;
}

/** What a window adds to the saved state at least; a second look shows whether more must go. */
function savedBytes(key: string, window: Cooldown | Dedup): number {
  if ('action' in window) return `${key} ${window.untilAt.toString(36)} `.length;
  return byteLength(saveCooldown(key, window)) + 1;
}

function toSaved(state: WatchState, inbox: InboxItem[]): SavedWatch {
  return {
    guards: saveGuards(state),
    counters: { ...state.counters, rules: [...state.counters.rules] },
    verdicts: state.verdicts,
    chains: [...state.memory.chains.values()],
    ...(state.pause && { paused: state.pause }),
    ...(state.ruleset && { ruleset: state.ruleset }),
    inbox,
    lastEventAt: state.lastEventAt,
    runs: state.runs,
    agents: saveAgents(state.memory.agents),
    ends: state.ends,
    incidents: state.incidents,
    successes: [...state.successes.values()],
    troubled: [...state.troubled],
    notices: state.notices,
  };
}

/** Each under the ids that are still its own. */
function saveAgents(agents: KnownAgents): KnownAgent[] {
  return listAgents(agents).map((agent) => ({ ...agent, ids: agent.ids.filter((id) => agents.get(id) === agent) }));
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
    cooldowns: [...memory.cooldowns].map(([key, cooldown]) => saveCooldown(key, cooldown)),
    dedups: [...dedups.values()].map(({ rule, action, keys }) => [rule, action, keys.join(' ')]),
    evicted,
  };
}

function saveCooldown(key: string, cooldown: Cooldown): SavedGuards['cooldowns'][number] {
  const { rule, untilAt, label, suppressed } = cooldown;
  if (suppressed) return [rule, key, untilAt, label ?? '', suppressed];
  return label === undefined ? [rule, key, untilAt] : [rule, key, untilAt, label];
}

/** Older runs saved neither agents nor what cooldowns kept quiet. */
function loadMemory({ guards, chains, agents = [] }: SavedWatch): GuardMemory {
  const memory = loadGuards(guards);
  for (const chain of chains) memory.chains.set(chain.root, chain);
  for (const agent of agents) for (const id of agent.ids) memory.agents.set(id, agent);
  return memory;
}

function loadGuards(saved: SavedGuards): GuardMemory {
  const memory = emptyMemory();
  for (const id of words(saved.seen)) memory.seen.add(id);
  for (const [rule, key, untilAt, label = '', suppressed] of saved.cooldowns) {
    memory.cooldowns.set(key, { rule, untilAt, ...(label !== '' && { label }), ...(suppressed && { suppressed }) });
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
