import type { MeshEvent } from '../contract/event.js';
import { parseRemediationId } from '../contract/ids.js';
import type { AgentEnd } from '../contract/matched.js';
import type { AgentNews } from '../contract/remediation.js';
import type { KnownAgent, UnclaimedEnd } from '../contract/watch.js';
import { AGENT_LIFE_MS, endedIdsOf, noteAgent } from '../rules/guards/known-agents.js';
import { listIn, numberIn, textIn, textsIn } from './read-argument.js';
import type { WatchState } from './watch-state.js';

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
    const known = noteAgent(state.memory.agents, agent, now);
    // Its end may have come first: a launcher learns some ids only from the answer to the launch.
    for (const end of state.ends.filter((one) => isEndOf(known, one, now))) {
      state.ends = state.ends.filter((one) => one !== end);
      tell(state, known, end);
    }
  }
  return announced.length > 0 && agents.length === announced.length ? undefined : EXPECTED;
}

const EXPECTED =
  'expected a list of agents {"ids": ["…"], "depth": 1, "root": "<event>", "remediation": "<workflow id>", "action": "…"}';

/** An agent has ended: whoever waits for it is told, now or when it is announced. */
export function noteEnd(state: WatchState, event: MeshEvent, end: AgentEnd, now: number): void {
  const ids = endedIdsOf(event);
  const agents = new Set(ids.flatMap((id) => state.memory.agents.get(id) ?? []));
  for (const agent of agents) tell(state, agent, { ...end, ids });
  if (agents.size > 0 || ids.length === 0) return;
  state.ends = [...state.ends, { ...end, ids, at: now }].slice(-MAX_ENDS);
}

export function pruneEnds(state: WatchState, now: number): void {
  state.ends = state.ends.filter(({ at }) => now - at < END_LIFE_MS);
}

/** Once: an agent that goes on reporting after its end is of no interest to its remediation any more. */
function tell(
  state: WatchState,
  agent: KnownAgent,
  { ids, outcome, outputTail }: Pick<UnclaimedEnd, 'ids' | 'outcome' | 'outputTail'>,
): void {
  const agentId = agent.ids.find((id) => ids.includes(id));
  if (!agent.isAwaited || agentId === undefined) return;
  agent.isAwaited = false;
  const { action, remediation } = agent;
  const said = { ...(outputTail !== undefined && { outputTail }) };
  state.outgoing.push({ remediation, news: { action, state: 'finished', agentId, outcome, ...said } });
}

/** Of an agent that is announced again, an end from before the first time is that of another agent of this name. */
function isEndOf({ ids, sinceAt = 0 }: KnownAgent, end: UnclaimedEnd, now: number): boolean {
  const isAnotherOnes = sinceAt < now && end.at < sinceAt;
  return !isAnotherOnes && end.ids.some((id) => ids.includes(id));
}

function readAgent(written: unknown, tenant: string, now: number): KnownAgent | undefined {
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
    isAwaited: (written as Partial<KnownAgent>).isAwaited === true,
    untilAt: numberIn(written, 'untilAt') ?? now + AGENT_LIFE_MS,
  };
}
