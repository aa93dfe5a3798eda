import type { StartedAgent } from './remediation.js';

/**
 * What an attempt of an action says of itself, in heartbeats and failures: the server does not tell a workflow how often an
 * activity was tried.
 */
export interface AttemptDetails {
  attempts: number;
  detail?: string;
}

/** Of an attempt to start an agent: what the next attempt, and the remediation, must know of that agent. */
export interface SpawnDetails extends AttemptDetails {
  known: AgentKnown;
}

/** Changed in one place: activities/actions/spawn-fallback-agent/attempt.ts. */
export type AgentKnown =
  /** Nobody was asked for an agent; or whoever was asked has surely started none. */
  | { state: 'unasked' }
  /**
   * It was asked for elsewhere, and may be at work whatever becomes of the attempt. `by`: the kind of launcher that asked; one
   * of another kind would start a second agent.
   */
  | { state: 'asked'; by: 'http' | 'temporal'; agent: StartedAgent }
  /** It runs on the machine of the worker, and does not outlive it. */
  | { state: 'running'; agent: StartedAgent; process: { pid: number; host: string } }
  /** It was ended, and goes on: it cannot be ended from here, or does not heed that. */
  | { state: 'left'; agent: StartedAgent }
  | { state: 'ended'; agent: StartedAgent }
  /** The service was asked, and has started none. The session that it was asked for with may count as used there. */
  | { state: 'declined'; session: string };

/** Of an agent that may be at work: no other is started beside it, since two at once could undo each other's work. */
export type AtWork = Extract<AgentKnown, { state: 'asked' | 'left' }>;

export function isAtWork(known: AgentKnown | undefined): known is AtWork {
  return known?.state === 'asked' || known?.state === 'left';
}

export function agentIn(known: AgentKnown | undefined): StartedAgent | undefined {
  return known && 'agent' in known ? known.agent : undefined;
}
