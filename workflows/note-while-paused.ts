import type { MeshEvent } from '#contract/event.js';
import { factsOf } from '#contract/facts.js';
import { placeEvent } from '#rules/guards/place-event.js';
import { worksIn } from '#rules/guards/works.js';
import { noteAgainWhilePaused, resolveIncidents, successOf } from './incidents.js';
import { noteSuccess } from './noted-successes.js';
import { noteEnd } from './watch-agents.js';
import type { WatchState } from './watch-state.js';

/**
 * A paused event is not matched, but what it tells is noted: a remediation may be waiting for the end of an agent, an incident
 * for a success. That is told of when the tenant is resumed, unless the same has failed again by then.
 */
export function noteWhilePaused(state: WatchState, event: unknown, now: number): void {
  if (!isReport(event)) return;
  const { endsAgent } = factsOf(event);
  if (endsAgent) noteEnd(state, event, { outcome: endsAgent.outcome }, now);
  if (!Number.isFinite(event.occurredAt)) return;
  // Tokens are not looked into meanwhile: the chain is known by the agent, or by what the event says of itself.
  const by = { agents: state.memory.agents, lineage: undefined, maxChainDepth: Infinity, now };
  const { root } = placeEvent(event, by);
  if (hasFailed(event)) return noteAgainWhilePaused(state, event, root, now);
  const works = worksIn(event);
  if (!works) return;
  const success = successOf(event, root, works, now);
  resolveIncidents(state, success);
  noteSuccess(state, success);
}

function hasFailed({ outcome }: MeshEvent): boolean {
  return outcome === 'failed' || outcome === 'timeout';
}

/** As much of an event as this takes: nobody has checked it yet. */
function isReport(event: unknown): event is MeshEvent {
  const { event: name, payload, session } = (event ?? {}) as Partial<Record<keyof MeshEvent, unknown>>;
  return (
    typeof name === 'string' &&
    typeof payload === 'object' &&
    payload !== null &&
    (session === undefined || typeof session === 'string')
  );
}
