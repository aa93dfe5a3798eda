import type { MeshEvent } from '#contract/event.js';
import { factsOf } from '#contract/facts.js';
import type { AgentEnd } from '#contract/matched.js';
import type { AnnouncedAgent } from '#contract/watch.js';

/** An agent as the watch keeps it. */
export interface KnownAgent extends AnnouncedAgent {
  /** When the watch first heard of it. */
  sinceAt: number;
  /** How it ended. Its remediation was told; a retry that waits for the same agent reads it here. */
  end?: AgentEnd;
}

/** Agents that remediations started, by each id under which they may report, in the order in which they were announced. */
export type KnownAgents = Map<string, KnownAgent>;

export const AGENT_LIFE_MS = 86_400_000;
export const MAX_KNOWN_AGENTS = 1_000;
export const MAX_IDS_OF_AGENT = 50;

/**
 * Remembers an agent. An id that another agent had passes to it. An agent that is announced again keeps what was learnt of it: a
 * second attempt to start it may not be told its name.
 */
export function noteAgent(agents: KnownAgents, announced: AnnouncedAgent, now: number): KnownAgent {
  const before = knownBefore(agents, announced);
  const learnt = before?.ids.filter((id) => agents.get(id) === before && !announced.ids.includes(id)) ?? [];
  const agent: KnownAgent = {
    ...announced,
    ids: [...announced.ids, ...learnt].slice(0, MAX_IDS_OF_AGENT),
    untilAt: Math.min(announced.untilAt, now + AGENT_LIFE_MS),
    sinceAt: before?.sinceAt ?? now,
    ...(before?.end && { end: before.end }),
  };
  for (const id of learnt) agents.delete(id);
  for (const id of agent.ids) {
    agents.delete(id);
    agents.set(id, agent);
  }
  forgetOldest(agents);
  return agent;
}

/**
 * The same agent, if it was announced before. An agent is announced before it starts, and again when its runtime has named it.
 * Its session, which the mesh has chosen, comes first both times.
 */
export function knownBefore(
  agents: KnownAgents,
  { ids: [session = ''], remediation, action }: AnnouncedAgent,
): KnownAgent | undefined {
  const known = agents.get(session);
  return known?.remediation === remediation && known.action === action ? known : undefined;
}

export function listAgents(agents: KnownAgents): KnownAgent[] {
  return [...new Set(agents.values())];
}

export function pruneAgents(agents: KnownAgents, now: number): void {
  for (const [id, { untilAt }] of agents) if (untilAt <= now) agents.delete(id);
}

/**
 * Which agent has reported the event, as far as its ids tell. Of several the deepest, since a session may run inside another
 * agent's. A name alone is not believed against a session or a token of another chain.
 */
export function knownAgentOf(agents: KnownAgents, event: Reported, { now, root }: KnownBy): KnownAgent | undefined {
  const known = (id: string) => {
    const agent = agents.get(id);
    return agent && agent.untilAt > now ? agent : undefined;
  };
  const chain = root ?? (event.session === undefined ? undefined : known(event.session)?.root);
  let found: KnownAgent | undefined;
  for (const id of idsOf(event)) {
    const agent = known(id);
    if (!agent || agent.depth <= (found?.depth ?? -1)) continue;
    if (isChosenId(agent, id) || chain === undefined || chain === agent.root) found = agent;
  }
  return found;
}

export interface KnownBy {
  now: number;
  /** The first event of the chain, if a token proves it. */
  root?: string | undefined;
}

/**
 * Whether the mesh itself has chosen this id of an agent: its session, or the effect key that is the id of a workflow. Any other
 * id is a name that the runtime gave, and many agents may share it, such as `worker-1` in every team.
 */
function isChosenId({ ids: [session], remediation }: KnownAgent, id: string): boolean {
  return id === session || id.startsWith(`${remediation}/`);
}

export type Reported = Partial<Pick<MeshEvent, 'event' | 'outcome' | 'agent' | 'session' | 'payload' | 'facts'>>;

/** Every id in an event that may be that of an agent. */
export function idsOf(event: Reported): string[] {
  return [...agentIds(event), ...texts([event.session])];
}

/**
 * By which ids an agent may be known whose end this is. A subagent ends inside the session of the agent it works for, and that
 * one goes on: so its session counts only when it has no id.
 */
export function endedIdsOf(event: Reported): string[] {
  const own = agentIds(event);
  return factsOf(event).endsAgent?.isSubagent && own.length > 0 ? own : idsOf(event);
}

/** The agents that this event says have ended. A session is better evidence than a name. */
export function agentsEndedBy(agents: KnownAgents, { session }: Reported, end: EndedBy): KnownAgent[] {
  const bySession = session !== undefined && end.ids.includes(session) ? agents.get(session) : undefined;
  if (bySession) return [bySession];
  const named = end.ids.map((id) => agents.get(id)).filter((agent) => agent !== undefined);
  return [...new Set(named)].filter((agent) => isEndOf(agent, end));
}

export interface EndedBy {
  ids: readonly string[];
  /** The remediation that a token proves the event to be of. */
  parent?: string | undefined;
}

/** The name alone does not count when a token proves that the event is of another remediation. */
export function isEndOf(agent: KnownAgent, { ids, parent }: EndedBy): boolean {
  const isOurs = parent === undefined || parent === agent.remediation;
  return agent.ids.some((id) => ids.includes(id) && (isOurs || isChosenId(agent, id)));
}

function agentIds(event: Reported): string[] {
  return texts([event.agent, ...(factsOf(event).agentIds ?? [])]);
}

function texts(ids: unknown[]): string[] {
  return ids.filter((id) => typeof id === 'string' && id !== '') as string[];
}

function forgetOldest(agents: KnownAgents): void {
  // Most agents have one or two ids: counting agents is needed only when there are that many ids.
  while (agents.size > MAX_KNOWN_AGENTS && listAgents(agents).length > MAX_KNOWN_AGENTS) {
    const [oldest] = agents.values();
    for (const [id, agent] of agents) if (agent === oldest) agents.delete(id);
  }
}
