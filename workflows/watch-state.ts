import type { AgentEnd } from '#contract/matched.js';
import type { Notice } from '#contract/notice.js';
import type { LoggedVerdict } from '#contract/verdict.js';
import type {
  DroppedNews,
  KnownConfigTrouble,
  KnownRuleset,
  Pause,
  RuleCounters,
  WatchCounters,
} from '#contract/watch.js';
import { type KnownAgent, type KnownAgents, listAgents } from '#rules/guards/known-agents.js';
import { type Cooldown, type Dedup, type GuardMemory, emptyMemory, evictNearest } from '#rules/guards/memory.js';
import { byteLength } from './byte-length.js';
import { collectDigests } from './digests.js';
import type { Hold } from './hold.js';
import type { InboxItem } from './inbox.js';
import { forgetIncidents, loadIncidents, type WatchedIncident } from './incidents.js';
import { loadSuccesses, type NotedSuccess } from './noted-successes.js';
import type { SavedGuards, SavedWatch, WatchRunInput } from './saved-watch.js';
import { lastWholeEvents } from './verdict-log.js';
import type { OutgoingNews, UnclaimedEnd } from './watch-agents.js';

export const MAX_STATE_BYTES = 1_500_000;
const VERDICTS_WHEN_CROWDED = 20;
const MAX_NOTICES_BYTES = 200_000;
const MAX_INCIDENTS_BYTES = 200_000;

/** Everything the watch remembers. What is not in here is forgotten when it continues as new. */
export interface WatchState {
  tenant: string;
  memory: GuardMemory;
  evicted: number;
  counters: Omit<WatchCounters, 'rules'> & { rules: Map<string, RuleCounters> };
  verdicts: LoggedVerdict[];
  ends: UnclaimedEnd[];
  /** By what they are about, in the order of the last news of each. */
  incidents: Map<string, WatchedIncident>;
  successes: Map<string, NotedSuccess>;
  sessionsWithFirings: Map<string, number>;
  /** Messages to start. While the tenant is paused they wait, also through continue-as-new. */
  notices: Notice[];
  dropped: DroppedNews;
  /** What remediations are to be told, at once: not carried over, so nothing may be left in here then. */
  outgoing: OutgoingNews[];
  pause: Pause | undefined;
  hold: Hold | undefined;
  ruleset: KnownRuleset | undefined;
  configTrouble: KnownConfigTrouble | undefined;
  lastEventAt: number;
  runs: number;
}

export function loadWatchState({ tenant, saved }: WatchRunInput, now: number): WatchState {
  const fresh: WatchState = {
    tenant,
    memory: emptyMemory(),
    evicted: 0,
    counters: { events: 0, fired: 0, skipped: {}, rules: new Map() },
    verdicts: [],
    ends: [],
    incidents: new Map(),
    successes: new Map(),
    sessionsWithFirings: new Map(),
    notices: [],
    dropped: { messages: 0, incidents: 0 },
    outgoing: [],
    pause: undefined,
    hold: undefined,
    ruleset: undefined,
    configTrouble: undefined,
    lastEventAt: now,
    runs: 1,
  };
  return saved ? { ...fresh, ...fromSaved(saved) } : fresh;
}

function fromSaved(saved: SavedWatch): Omit<WatchState, 'tenant' | 'outgoing'> {
  const { verdicts, ends, notices, dropped, lastEventAt } = saved;
  return {
    ...{ verdicts, ends, notices, dropped, lastEventAt },
    incidents: loadIncidents(saved.incidents),
    memory: loadMemory(saved),
    evicted: saved.guards.evicted,
    counters: { ...saved.counters, rules: new Map(saved.counters.rules) },
    successes: loadSuccesses(saved.successes),
    sessionsWithFirings: new Map(saved.sessionsWithFirings),
    pause: saved.pause,
    // As one that has just ended: the next look at the rules decides whether another follows, which then asks at once.
    hold: saved.hold && { ...saved.hold, nextPauseMs: 0, isOver: true },
    ruleset: saved.ruleset,
    configTrouble: saved.configTrouble,
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
  // Measured once: guards are most of a large state, each look at them makes megabytes of garbage, and what goes first is none
  // of them.
  const guardsBytes = byteLength({ guards: saveGuards(state) });
  for (const shed of SHEDDABLE) {
    if (guardsBytes + byteLength(withoutGuards(state, inbox)) <= maxBytes) break;
    shed(state);
  }
  for (;;) {
    const saved = toSaved(state, inbox);
    const excess = byteLength(saved) - maxBytes;
    if (excess <= 0) return saved;
    const evicted = evictNearest(state.memory, excess, savedBytes);
    if (evicted === 0) return saved;
    state.evicted += evicted;
    collectDigests(state, now);
    dropMessages(state);
  }
}

/**
 * In this order: what agents said whose end was told, what rules missed on, old verdicts, what other ended agents said, and the
 * oldest of all that waits for something.
 */
const SHEDDABLE: ((state: WatchState) => void)[] = [
  ({ memory }) => {
    for (const agent of memory.agents.values()) if (agent.end) agent.end = withoutOutput(agent.end);
  },
  (state) => (state.verdicts = state.verdicts.map(({ missed: _missed, ...verdict }) => verdict)),
  (state) => (state.verdicts = lastWholeEvents(state.verdicts, VERDICTS_WHEN_CROWDED)),
  // Of an event that met very many rules, the newest only: guards must not make room for what is kept for people.
  (state) => (state.verdicts = state.verdicts.slice(-VERDICTS_WHEN_CROWDED)),
  (state) => (state.ends = state.ends.map(withoutOutput)),
  (state) => (state.ends = lastWithin(state.ends, 50_000)),
  dropMessages,
  (state) => (state.successes = loadSuccesses(lastWithin([...state.successes.values()], 50_000))),
  dropIncidents,
  ({ memory }) => {
    const kept = lastWithin(listAgents(memory.agents), 400_000);
    for (const [id, agent] of memory.agents) if (!kept.includes(agent)) memory.agents.delete(id);
  },
];

function withoutOutput<T extends AgentEnd>({ outputTail: _outputTail, ...end }: T): Omit<T, 'outputTail'> {
  return end;
}

/** Digests first: good news is waited for. */
function dropMessages(state: WatchState): void {
  const known = state.notices.length;
  const isGoodNews = ({ kind }: Notice) => kind === 'resolve';
  const byWeight = [...state.notices].sort((one, other) => Number(isGoodNews(one)) - Number(isGoodNews(other)));
  state.notices = lastWithin(byWeight, MAX_NOTICES_BYTES);
  state.dropped.messages += known - state.notices.length;
}

function dropIncidents(state: WatchState): void {
  const known = [...state.incidents.values()];
  const kept = lastWithin(known, MAX_INCIDENTS_BYTES);
  forgetIncidents(state, known.slice(0, known.length - kept.length));
  state.dropped.incidents += known.length - state.incidents.size;
}

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
  return { ...withoutGuards(state, inbox), guards: saveGuards(state) };
}

function withoutGuards(state: WatchState, inbox: InboxItem[]): Omit<SavedWatch, 'guards'> {
  const { memory, verdicts, ends, notices, dropped, pause, hold, ruleset, configTrouble, lastEventAt, runs } = state;
  return {
    ...{ verdicts, ends, notices, dropped, inbox, lastEventAt, runs },
    incidents: [...state.incidents.values()],
    counters: { ...state.counters, rules: [...state.counters.rules] },
    chains: [...memory.chains.values()],
    agents: saveAgents(memory.agents),
    successes: [...state.successes.values()],
    sessionsWithFirings: [...state.sessionsWithFirings],
    ...(pause && { pause }),
    ...(hold && { hold: { sinceAt: hold.sinceAt, problems: hold.problems } }),
    ...(ruleset && { ruleset }),
    ...(configTrouble && { configTrouble }),
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
  const { rule, untilAt, armedAt, label, suppressed, firedFor } = cooldown;
  if (firedFor) return [rule, key, untilAt, armedAt, label ?? '', suppressed ?? null, firedFor];
  if (suppressed) return [rule, key, untilAt, armedAt, label ?? '', suppressed];
  return label === undefined ? [rule, key, untilAt, armedAt] : [rule, key, untilAt, armedAt, label];
}

function loadMemory({ guards, chains, agents }: SavedWatch): GuardMemory {
  const memory = loadGuards(guards);
  for (const chain of chains) memory.chains.set(chain.root, chain);
  for (const agent of agents) for (const id of agent.ids) memory.agents.set(id, agent);
  return memory;
}

function loadGuards(saved: SavedGuards): GuardMemory {
  const memory = emptyMemory();
  for (const id of words(saved.seen)) memory.seen.add(id);
  for (const [rule, key, untilAt, armedAt, label = '', suppressed, firedFor] of saved.cooldowns) {
    memory.cooldowns.set(key, {
      rule,
      untilAt,
      armedAt,
      ...(label !== '' && { label }),
      ...(firedFor && { firedFor }),
      ...(suppressed && { suppressed }),
    });
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
