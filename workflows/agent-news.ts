import { defineSignal, log, setHandler } from '@temporalio/workflow';
import { REMEDIATION_SIGNALS } from '#contract/names.js';
import type { AgentNews, AgentOutcome, StartedAgent } from '#contract/remediation.js';

/** That an agent has ended. */
export type AgentEndNews = Extract<AgentNews, { state: 'finished' }>;
type AskedNews = Extract<AgentNews, { state: 'asked' }>;

/** The ends of agents that were told so far. */
export interface AgentEnds {
  /** The last one of an action's agents, of those that are meant. */
  find(action: string, isMeant: (end: AgentEndNews) => boolean): AgentEndNews | undefined;
  /** The agent that a launcher of the action was last about to ask for, save those that were surely not started. */
  lastAsked(action: string): StartedAgent | undefined;
}

/**
 * Takes the signals about the agents of this remediation. An agent may end before its launcher has told that it started, so
 * every end is kept.
 */
export function listenForAgents(onLaunched: (action: string, agent: StartedAgent) => void): AgentEnds {
  const ends: AgentEndNews[] = [];
  // By attempt: one that the server has given up may tell of its end after the next has asked.
  let asked: AskedNews[] = [];
  setHandler(
    defineSignal<[unknown?]>(REMEDIATION_SIGNALS.agent),
    (news) => {
      if (!isAgentNews(news)) return log.warn('ignored a signal that is no news of an agent');
      switch (news.state) {
        case 'asked':
          return void asked.push(news);
        case 'not-started':
          asked = asked.filter(({ action, attempt }) => action !== news.action || attempt !== news.attempt);
          return;
        case 'launched':
          return onLaunched(news.action, news.agent);
        case 'finished':
          ends.push(news);
      }
    },
    { description: 'News of an agent that an action of this remediation started.' },
  );
  return {
    find: (action, isMeant) =>
      ends.findLast((end) => end.action === action && end.outcome !== 'running' && isMeant(end)),
    lastAsked: (action) => asked.findLast((one) => one.action === action)?.agent,
  };
}

/** Anyone can signal a workflow, and whatever is taken is shown. */
function isAgentNews(news: unknown): news is AgentNews {
  if (!isRecord(news) || typeof news['action'] !== 'string') return false;
  const { state, agent, attempt, agentId, ids, outcome, outputTail } = news;
  switch (state) {
    case 'not-started':
      return isText(attempt);
    case 'asked':
      return isText(attempt) && isAgent(agent);
    case 'launched':
      return isAgent(agent);
    case 'finished':
      return (
        isText(agentId) && Array.isArray(ids) && ids.every(isText) && isOutcome(outcome) && isTextIfAny(outputTail)
      );
    default:
      return false;
  }
}

function isAgent(agent: unknown): agent is StartedAgent {
  if (!isRecord(agent) || !isText(agent['launcher']) || !isOutcome(agent['outcome'])) return false;
  return [agent['id'], agent['session'], agent['outputTail']].every(isTextIfAny);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTextIfAny(value: unknown): boolean {
  return value === undefined || isText(value);
}

const OUTCOMES: unknown[] = ['running', 'success', 'failed', 'timeout'] satisfies AgentOutcome[];

function isOutcome(value: unknown): boolean {
  return OUTCOMES.includes(value);
}
