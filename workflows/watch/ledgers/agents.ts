import { parseRemediationId } from '#contract/ids.js';
import type { AgentEnd } from '#contract/matched.js';
import type { AgentNews } from '#contract/remediation.js';
import { plural } from '#contract/text/words.js';
import type { AnnouncedAgent } from '#contract/watch.js';
import {
  AGENT_LIFE_MS,
  agentsEndedBy,
  isEndOf,
  type KnownAgent,
  type KnownAgents,
  knownBefore,
  listAgents,
  noteAgent,
  pruneAgents,
} from '#rules/guards/known-agents.js';
import type { GuardMemory } from '#rules/guards/memory.js';
import { FORGET_STEP_MS } from '../limits.js';
import { listIn, numberIn, textIn, textsIn } from '../read-argument.js';
import { dueFirst, lastWithin, type Ledger } from './ledger.js';

export interface SavedAgents {
  known: KnownAgent[];
  ends: UnclaimedEnd[];
}

/** The end of an agent nobody knew yet: its launcher may tell only later that it started it. */
interface UnclaimedEnd extends AgentEnd {
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

export interface Agents extends Ledger<SavedAgents> {
  /** Takes the signal by which remediations tell of agents they start. Returns what was wrong with it. */
  announce(argument: unknown, now: number): string | undefined;
  /** Told at once: it is not carried over, so a run must not end while there is any. */
  outgoing: OutgoingNews[];
}

export const END_LIFE_MS = 600_000;
const MAX_ENDS = 200;
const MAX_ENDS_BYTES = 50_000;
const MAX_AGENTS_BYTES = 400_000;

/** Agents that remediations have started, and ends of agents that nobody knows yet. */
export function createAgents(tenant: string, { agents }: GuardMemory): Agents {
  const outgoing: OutgoingNews[] = [];
  let ends: UnclaimedEnd[] = [];

  return {
    outgoing,
    load(saved) {
      for (const agent of saved.known) for (const id of agent.ids) agents.set(id, agent);
      ends = saved.ends;
    },
    save: () => ({ known: ownIds(agents), ends }),
    shed: [
      {
        what: 'words of agents whose end was told',
        shed() {
          for (const agent of agents.values()) if (agent.end) agent.end = withoutOutput(agent.end);
        },
      },
      { what: 'ends that nobody has asked for', shed: () => (ends = ends.map(withoutOutput)) },
      { what: 'ends that nobody has asked for', shed: () => (ends = lastWithin(ends, MAX_ENDS_BYTES)) },
      {
        what: 'agents',
        shed() {
          const kept = new Set(lastWithin(listAgents(agents), MAX_AGENTS_BYTES));
          for (const [id, agent] of agents) if (!kept.has(agent)) agents.delete(id);
        },
      },
    ],
    prune(now) {
      pruneAgents(agents, now);
      ends = ends.filter(({ at }) => now - at < END_LIFE_MS);
    },
    due: () =>
      dueFirst(
        listAgents(agents).map(({ untilAt }) => untilAt),
        'forgets what is old',
        FORGET_STEP_MS,
      ),
    announce(argument, now) {
      const announced = listIn(argument).map((written) => readAgent(written, tenant, now));
      const good = announced.filter((agent) => agent !== undefined);
      for (const agent of good) takeIn(agent, now);
      return good.length > 0 && good.length === announced.length ? undefined : EXPECTED;
    },
    /** Whoever waits for the agent is told, now or when it is announced. */
    learn({ ended, at }) {
      if (!ended) return;
      const { end, ids, session, parent } = ended;
      const known = agentsEndedBy(agents, { ...(session !== undefined && { session }) }, { ids, parent });
      for (const agent of known) tell(agent, end, ids);
      if (known.length > 0 || ids.length === 0) return;
      ends = [...ends, { ...end, ids, ...(parent !== undefined && { parent }), at }].slice(-MAX_ENDS);
    },
    show: () => ({ agents: counted(agents) }),
    details() {
      const { known, awaited } = counted(agents);
      if (known === 0) return '';
      return `${plural(known, 'agent')} may still report; a remediation waits for ${awaited} of them.`;
    },
  };

  function takeIn(announced: AnnouncedAgent, now: number): void {
    const isNew = knownBefore(agents, announced) === undefined;
    const agent = noteAgent(agents, announced, now);
    // To a retry that asks for the same agent: whoever was told has not got it any more.
    if (agent.end) tell(agent, agent.end);
    // Its end may have come first: a launcher learns some ids only from the answer to the launch.
    for (const end of ends.filter((one) => isEarlyEndOf(agent, one, isNew))) {
      ends = ends.filter((one) => one !== end);
      tell(agent, end, end.ids);
    }
  }

  /** Once: an agent that goes on reporting after its end is of no interest to its remediation any more. */
  function tell(agent: KnownAgent, { outcome, outputTail }: AgentEnd, ids: readonly string[] = agent.ids): void {
    const agentId = agent.ids.find((id) => ids.includes(id));
    if (!agent.isAwaited || agentId === undefined) return;
    agent.isAwaited = false;
    agent.end = { outcome, ...(outputTail !== undefined && { outputTail }) };
    const { action, remediation } = agent;
    outgoing.push({ remediation, news: { action, state: 'finished', agentId, ids: agent.ids, ...agent.end } });
  }
}

const EXPECTED =
  'expected a list of agents {"ids": ["…"], "depth": 1, "root": "<event>", "remediation": "<workflow id>", "action": "…"}';

/** Each under the ids that are still its own. */
function ownIds(agents: KnownAgents): KnownAgent[] {
  return listAgents(agents).map((agent) => ({ ...agent, ids: agent.ids.filter((id) => agents.get(id) === agent) }));
}

function withoutOutput<T extends AgentEnd>({ outputTail: _outputTail, ...end }: T): Omit<T, 'outputTail'> {
  return end;
}

function counted(agents: KnownAgents): { known: number; awaited: number } {
  const known = listAgents(agents);
  return { known: known.length, awaited: known.filter(({ isAwaited }) => isAwaited).length };
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
