import type { OpenIncident } from '../contract/notification.js';
import type { Judgement, LoggedVerdict } from '../contract/verdict.js';
import type { JudgementQuery, VerdictsQuery, WatchStatus } from '../contract/watch.js';
import { type KnownAgents, listAgents } from '../rules/guards/known-agents.js';
import { hasSeen } from '../rules/guards/seen.js';
import type { Hold } from './hold.js';
import { eventIdOf, type Inbox } from './inbox.js';
import type { WatchState } from './watch-state.js';

const LISTED_WINDOWS = 1000;

/** Answers the `status` query. */
export function statusOf(
  state: WatchState,
  hold: Hold | undefined,
  waiting: number,
  historyEvents: number,
): WatchStatus {
  const { memory, counters } = state;
  return {
    tenant: state.tenant,
    paused: state.pause ?? null,
    ruleset: state.ruleset ?? null,
    held: hold ? { events: waiting, sinceAt: hold.sinceAt, problems: hold.problems } : null,
    counters: { ...counters, rules: Object.fromEntries(counters.rules) },
    guards: {
      cooldowns: nearest([...memory.cooldowns.values()]).map(({ suppressed: _suppressed, ...cooldown }) => cooldown),
      dedups: nearest([...memory.dedups.values()]),
      live: { cooldowns: memory.cooldowns.size, dedups: memory.dedups.size },
      evicted: state.evicted,
      seenIds: memory.seen.size,
    },
    chains: [...memory.chains.values()],
    agents: agentsIn(memory.agents),
    incidents: state.incidents.map(shortIncident),
    history: { events: historyEvents, runs: state.runs },
  };
}

/** Answers the `verdicts` query: the last ones, or those of one event among them. */
export function verdictsOf(state: WatchState, query: VerdictsQuery | undefined): LoggedVerdict[] {
  const eventId = query?.eventId;
  return eventId === undefined ? state.verdicts : state.verdicts.filter((entry) => entry.eventId === eventId);
}

/** Answers the `judgement` query: the verdicts on one event, or why there are none. */
export function judgementOf(state: WatchState, inbox: Inbox, query: JudgementQuery | undefined): Judgement {
  const eventId = query?.eventId ?? '';
  const verdicts = verdictsOf(state, { eventId });
  if (verdicts.length > 0) return { state: 'judged', verdicts };
  const isWaiting = inbox.items().some((item) => item.kind === 'event' && eventIdOf(item.event) === eventId);
  if (isWaiting) return { state: 'waiting', verdicts };
  return { state: hasSeen(state.memory, eventId) ? 'forgotten' : 'unknown', verdicts };
}

function agentsIn(agents: KnownAgents): WatchStatus['agents'] {
  const known = listAgents(agents);
  return { known: known.length, awaited: known.filter(({ isAwaited }) => isAwaited).length };
}

function shortIncident({ rule, team, channel, openedAt, task, tool }: OpenIncident) {
  return { rule, team, channel, openedAt, ...(task !== undefined && { task }), ...(tool !== undefined && { tool }) };
}

function nearest<T extends { untilAt: number }>(windows: T[]): T[] {
  return windows.sort((a, b) => a.untilAt - b.untilAt).slice(0, LISTED_WINDOWS);
}
