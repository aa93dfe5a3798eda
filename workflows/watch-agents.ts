import type { MeshEvent } from '#contract/event.js';
import { parseRemediationId } from '#contract/ids.js';
import type { AgentEnd, ProvenLineage } from '#contract/matched.js';
import type { AgentNews } from '#contract/remediation.js';
import type { AnnouncedAgent } from '#contract/watch.js';
import {
  AGENT_LIFE_MS,
  agentsEndedBy,
  endedIdsOf,
  isEndOf,
  type KnownAgent,
  knownBefore,
  noteAgent,
} from '#rules/guards/known-agents.js';
import { listIn, numberIn, textIn, textsIn } from './read-argument.js';
import type { WatchState } from './watch-state.js';

/** The end of an agent nobody knew yet: its launcher may tell only later that it started it. */
export interface UnclaimedEnd extends AgentEnd {
  ids: string[];
  /** The remediation that its token proves it to be of. */
  parent?: string;
  at: number;
}

/** What a remediation is to be told. */
export interface OutgoingNews {
  remediation: string;
  news: AgentNews;
}

export const END_LIFE_MS = 600_000;
const MAX_ENDS = 200;

/** Takes the signal by which remediations tell of agents they start. Returns what was wrong with it. */
export function announceAgents(state: WatchState, argument: unknown, now: number): string | undefined {
  const announced = listIn(argument).map((written) => readAgent(written, state.tenant, now));
  const agents = announced.filter((agent) => agent !== undefined);
  for (const agent of agents) {
    const isNew = knownBefore(state.memory.agents, agent) === undefined;
    const known = noteAgent(state.memory.agents, agent, now);
    // To a retry that asks for the same agent: whoever was told has not got it any more.
    if (known.end) tell(state, known, known.end);
    // Its end may have come first: a launcher learns some ids only from the answer to the launch.
    for (const end of state.ends.filter((one) => isEarlyEndOf(known, one, isNew))) {
      state.ends = state.ends.filter((one) => one !== end);
      tell(state, known, end, end.ids);
    }
  }
  return announced.length > 0 && agents.length === announced.length ? undefined : EXPECTED;
}

const EXPECTED =
  'expected a list of agents {"ids": ["…"], "depth": 1, "root": "<event>", "remediation": "<workflow id>", "action": "…"}';

/**
 * An agent has ended: whoever waits for it is told, now or when it is announced. `lineage`: what the token of the event proves,
 * if it carries one.
 */
export function noteEnd(
  state: WatchState,
  event: MeshEvent,
  end: AgentEnd,
  now: number,
  lineage?: ProvenLineage,
): void {
  const ids = endedIdsOf(event);
  const parent = lineage && 'parent' in lineage ? lineage.parent : undefined;
  const agents = agentsEndedBy(state.memory.agents, event, { ids, parent });
  for (const agent of agents) tell(state, agent, end, ids);
  if (agents.length > 0 || ids.length === 0) return;
  const unclaimed = { ...end, ids, ...(parent !== undefined && { parent }), at: now };
  state.ends = [...state.ends, unclaimed].slice(-MAX_ENDS);
}

export function pruneEnds(state: WatchState, now: number): void {
  state.ends = state.ends.filter(({ at }) => now - at < END_LIFE_MS);
}

/** Once: an agent that goes on reporting after its end is of no interest to its remediation any more. */
function tell(
  state: WatchState,
  agent: KnownAgent,
  { outcome, outputTail }: AgentEnd,
  ids: readonly string[] = agent.ids,
): void {
  const agentId = agent.ids.find((id) => ids.includes(id));
  if (!agent.isAwaited || agentId === undefined) return;
  agent.isAwaited = false;
  agent.end = { outcome, ...(outputTail !== undefined && { outputTail }) };
  const { action, remediation } = agent;
  state.outgoing.push({ remediation, news: { action, state: 'finished', agentId, ids: agent.ids, ...agent.end } });
}

/** Of an agent that is announced again, an end from before the first time is that of another agent of this name. */
function isEarlyEndOf(agent: KnownAgent, end: UnclaimedEnd, isNew: boolean): boolean {
  return (isNew || end.at >= agent.sinceAt) && isEndOf(agent, end);
}

function readAgent(written: unknown, tenant: string, now: number): AnnouncedAgent | undefined {
  const ids = textsIn(written, 'ids');
  const depth = numberIn(written, 'depth');
  const root = textIn(written, 'root');
  const remediation = textIn(written, 'remediation') ?? '';
  // A watch signals nothing but remediations of its own tenant, whoever asks it to.
  if (parseRemediationId(remediation)?.tenant !== tenant) return undefined;
  if (ids.length === 0 || depth === undefined || depth < 0 || root === undefined) return undefined;
  return {
    ids,
    depth,
    root,
    path: textsIn(written, 'path'),
    remediation,
    action: textIn(written, 'action') ?? '',
    isAwaited: (written as Partial<AnnouncedAgent>).isAwaited === true,
    untilAt: numberIn(written, 'untilAt') ?? now + AGENT_LIFE_MS,
  };
}
