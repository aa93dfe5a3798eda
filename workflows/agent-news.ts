import { defineSignal, log, setHandler } from '@temporalio/workflow';
import { REMEDIATION_SIGNALS } from '../contract/names.js';
import type { AgentNews, StartedAgent } from '../contract/remediation.js';

export type AgentEnd = Extract<AgentNews, { state: 'finished' }>;

/** The ends of agents that were told so far. */
export interface AgentEnds {
  /** The last one of an action's agents, of those that are meant. */
  find(action: string, isMeant: (agentId: string) => boolean): AgentEnd | undefined;
}

/**
 * Takes the signals about the agents of this remediation. An agent may end before its launcher has told that it started, so
 * every end is kept.
 */
export function listenForAgents(onLaunched: (action: string, agent: StartedAgent) => void): AgentEnds {
  const ends: AgentEnd[] = [];
  setHandler(
    defineSignal<[unknown?]>(REMEDIATION_SIGNALS.agent),
    (news) => {
      if (!isAgentNews(news)) return log.warn('ignored a signal that is no news of an agent');
      if (news.state === 'launched') onLaunched(news.action, news.agent);
      else ends.push(news);
    },
    { description: 'News of an agent that an action of this remediation started.' },
  );
  return {
    find: (action, isMeant) =>
      ends.findLast((end) => end.action === action && end.outcome !== 'running' && isMeant(end.agentId)),
  };
}

/** Anyone can signal a workflow. */
function isAgentNews(news: unknown): news is AgentNews {
  if (typeof news !== 'object' || news === null) return false;
  const { action, state, agent, agentId, outcome } = news as Record<string, unknown>;
  if (typeof action !== 'string') return false;
  if (state === 'launched') return typeof agent === 'object' && agent !== null && 'launcher' in agent;
  return state === 'finished' && typeof agentId === 'string' && OUTCOMES.includes(outcome as AgentEnd['outcome']);
}

const OUTCOMES: AgentEnd['outcome'][] = ['running', 'success', 'failed', 'timeout'];
