import type { MeshEvent } from '../../contract/event.js';
import type { KnownAgent } from '../../contract/watch.js';
import { plainName } from './plain-name.js';

/** Agents that remediations started, under each id by which they may report; the one announced last is the last. */
export type KnownAgents = Map<string, KnownAgent>;

export const AGENT_LIFE_MS = 86_400_000;
export const MAX_KNOWN_AGENTS = 1_000;

/** Remembers an agent. An id that another one had before is its own now. */
export function noteAgent(agents: KnownAgents, announced: KnownAgent, now: number): KnownAgent {
  const agent: KnownAgent = {
    ...announced,
    untilAt: Math.min(announced.untilAt, now + AGENT_LIFE_MS),
    sinceAt: knownSince(agents, announced) ?? now,
  };
  for (const id of agent.ids) {
    agents.delete(id);
    agents.set(id, agent);
  }
  forgetOldest(agents);
  return agent;
}

export function listAgents(agents: KnownAgents): KnownAgent[] {
  return [...new Set(agents.values())];
}

export function pruneAgents(agents: KnownAgents, now: number): void {
  for (const [id, { untilAt }] of agents) if (untilAt <= now) agents.delete(id);
}

/** Whose event this is, as far as its ids tell. Of several the deepest, since a session may run inside another agent's. */
export function knownAgentOf(agents: KnownAgents, event: Reported, now: number): KnownAgent | undefined {
  let found: KnownAgent | undefined;
  for (const id of idsOf(event)) {
    const agent = agents.get(id);
    if (agent && agent.untilAt > now && agent.depth > (found?.depth ?? -1)) found = agent;
  }
  return found;
}

export type Reported = Partial<Pick<MeshEvent, 'event' | 'agent' | 'session' | 'payload'>>;

/** Every id in an event that may be that of an agent. */
export function idsOf({ agent, session, payload }: Reported): string[] {
  return [...agentIds(agent, payload), ...texts([session])];
}

/**
 * By which ids an agent may be known whose end this is. A subagent ends inside the session of the agent it works for, and that
 * one goes on: so its session counts only when it has no id.
 */
export function endedIdsOf(event: Reported): string[] {
  const own = agentIds(event.agent, event.payload);
  return plainName(event.event ?? '') === 'subagentstop' && own.length > 0 ? own : idsOf(event);
}

function agentIds(agent: string | undefined, payload: MeshEvent['payload'] = {}): string[] {
  const named = ['agent_id', 'agentId'].map((key) => (Object.hasOwn(payload, key) ? payload[key] : undefined));
  return texts([agent, ...named]);
}

function texts(ids: unknown[]): string[] {
  return ids.filter((id) => typeof id === 'string' && id !== '') as string[];
}

/** An agent is announced before it is started, and again when its runtime has named it. */
function knownSince(agents: KnownAgents, { remediation, action }: KnownAgent): number | undefined {
  for (const agent of agents.values()) {
    if (agent.remediation === remediation && agent.action === action) return agent.sinceAt;
  }
  return undefined;
}

function forgetOldest(agents: KnownAgents): void {
  // Most agents have one or two ids: counting agents is needed only when there are that many ids.
  while (agents.size > MAX_KNOWN_AGENTS && listAgents(agents).length > MAX_KNOWN_AGENTS) {
    const [oldest] = agents.values();
    for (const [id, agent] of agents) if (agent === oldest) agents.delete(id);
  }
}
