import { CHAIN_LIFE_MS, pruneChains } from '#rules/guards/chains.js';
import { pruneAgents } from '#rules/guards/known-agents.js';
import { INCIDENT_LIFE_MS, pruneIncidents } from './incidents.js';
import { pruneSuccesses, SUCCESS_LIFE_MS } from './noted-successes.js';
import { pruneEnds } from './watch-agents.js';
import type { WatchState } from './watch-state.js';

/** Forgets agents, chains, ends, incidents and successes whose time is over. */
export function forgetOld(state: WatchState, now: number): void {
  pruneChains(state.memory.chains, now);
  pruneAgents(state.memory.agents, now);
  pruneEnds(state, now);
  pruneIncidents(state, now);
  pruneSuccesses(state, now);
}

/**
 * When the first of those is over that a watch must not close before: agents that may still report, chains that led to
 * agents, incidents that a success may end, successes that may end one, and sessions in which a rule has fired: a delivery
 * that is tried for a day may still tell of an incident there, after the success that ends it.
 */
export function nextToForgetAt({ memory, incidents, successes, sessionsWithFirings }: WatchState): number | undefined {
  let nextAt: number | undefined;
  const consider = (at: number) => (nextAt = Math.min(nextAt ?? at, at));
  for (const { untilAt } of memory.agents.values()) consider(untilAt);
  for (const { lastAt, spawns = 0 } of memory.chains.values()) if (spawns > 0) consider(lastAt + CHAIN_LIFE_MS);
  for (const { openedAt, resolved } of incidents.values()) if (!resolved) consider(openedAt + INCIDENT_LIFE_MS);
  for (const { at } of successes.values()) consider(at + SUCCESS_LIFE_MS);
  for (const firedAt of sessionsWithFirings.values()) consider(firedAt + SUCCESS_LIFE_MS);
  return nextAt;
}
