import type { Judgement, LoggedVerdict } from '#contract/verdict.js';
import type { IncidentsQuery, JudgementQuery, VerdictsQuery, WatchStatus } from '#contract/watch.js';
import { type KnownAgents, listAgents } from '#rules/guards/known-agents.js';
import { hasSeen } from '#rules/guards/seen.js';
import { eventIdOf, type Inbox } from './inbox.js';
import type { WatchedIncident } from './incidents.js';
import type { WatchState } from './watch-state.js';
import { whatHolds } from './what-holds.js';

const LISTED_WINDOWS = 1000;

/** Answers the `status` query. */
export function statusOf(state: WatchState, waiting: number, historyEvents: number): WatchStatus {
  const { memory, counters, hold } = state;
  const holds = whatHolds(state);
  return {
    tenant: state.tenant,
    paused: state.pause ?? null,
    ruleset: state.ruleset ?? null,
    ...(state.configTrouble && { configTrouble: state.configTrouble }),
    held: hold ? { events: waiting, sinceAt: hold.sinceAt, problems: hold.problems } : null,
    counters: { ...counters, rules: Object.fromEntries(counters.rules) },
    guards: {
      cooldowns: nearest([...memory.cooldowns.values()]).map(({ rule, untilAt, label }) => ({
        ...{ rule, untilAt },
        ...(label !== undefined && { label }),
      })),
      dedups: nearest([...memory.dedups.values()]),
      live: { cooldowns: memory.cooldowns.size, dedups: memory.dedups.size },
      evicted: state.evicted,
      seenIds: memory.seen.size,
    },
    chains: [...memory.chains.values()],
    agents: agentsIn(memory.agents),
    incidents: [...state.incidents.values()].map((one) => shortIncident(one, holds.get(one))),
    dropped: state.dropped,
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

/** Answers the `incidents` query: what is not over, or not told to be, of one alert. */
export function incidentsOf({ incidents }: WatchState, query: IncidentsQuery | undefined): WatchedIncident[] {
  return [...incidents.values()].filter(
    ({ team, channel, key }) => team === query?.team && channel === query.channel && key === query.key,
  );
}

function agentsIn(agents: KnownAgents): WatchStatus['agents'] {
  const known = listAgents(agents);
  return { known: known.length, awaited: known.filter(({ isAwaited }) => isAwaited).length };
}

function shortIncident(incident: WatchedIncident, hold: string | undefined) {
  const { rule, team, channel, openedAt, resolveOn, task, tool } = incident;
  return {
    rule,
    team,
    channel,
    openedAt,
    resolveOn,
    ...(task !== undefined && { task }),
    ...(tool !== undefined && { tool }),
    ...(hold !== undefined && { worksAgain: true as const, resolvedWhen: hold }),
  };
}

function nearest<T extends { untilAt: number }>(windows: T[]): T[] {
  return windows.sort((a, b) => a.untilAt - b.untilAt).slice(0, LISTED_WINDOWS);
}
