import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { Agent } from '#config/sections/agents.js';
import type { Delayed } from '#contract/activities.js';
import type { AgentKnown, SpawnDetails } from '#contract/attempt.js';
import type { AgentOutcome, StartedAgent } from '#contract/remediation.js';
import type { StartedProcess } from '#adapters/process/run-command.js';
import { attempt as attemptNumber, failure } from '../../fail.js';
import { isElsewhere } from './choose-launcher.js';

/** What this attempt knows of its agent. Whatever changes that is here. */
export interface Attempt {
  /** The agent elsewhere that it is about to ask for. */
  expected: StartedAgent | undefined;
  now(): AgentKnown;
  /** A service or the server is about to be asked for the agent. */
  asks(): void;
  /** What this attempt has asked for was surely not started. One before it may have started the agent all the same. */
  startedNone(): void;
  /** Whoever was asked has started it. */
  startedElsewhere(agent: StartedAgent): void;
  runs(agent: StartedAgent, process: StartedProcess): void;
  declined(): void;
  ended(agent: StartedAgent): void;
  /** It was ended, and goes on. */
  left(agent: StartedAgent): void;
}

export interface Asker {
  launcher: string;
  kind: Agent['kind'];
  session: string;
  effectKey: string;
}

/** `beats`: what heartbeats carry. `earlier`: what the attempt before this one has left behind. */
export function createAttempt(
  { launcher, kind, session, effectKey }: Asker,
  beats: SpawnDetails,
  earlier: AgentKnown | undefined,
): Attempt {
  const agent: StartedAgent = { launcher, session, outcome: 'running', mayNotExist: true };
  const asked = isElsewhere(kind)
    ? ({ state: 'asked', by: kind, agent: kind === 'temporal' ? { ...agent, id: effectKey } : agent } as const)
    : undefined;
  const before: AgentKnown = earlier?.state === 'asked' && asked ? asked : { state: 'unasked' };
  let known: AgentKnown = before;
  const set = (now: AgentKnown) => {
    known = now;
    // This worker may die at any moment, and heartbeats are late: what is done elsewhere may have been asked for by then.
    beats.known = now.state === 'unasked' && asked ? asked : now;
  };
  set(before);
  return {
    expected: asked?.agent,
    now: () => known,
    asks: () => asked && set(asked),
    startedNone: () => set(before),
    startedElsewhere: (started) => asked && set({ ...asked, agent: started }),
    runs: (started, process) => set({ state: 'running', agent: started, process }),
    declined: () => set({ state: 'declined', session }),
    ended: (done) => set({ state: 'ended', agent: done }),
    left: (goesOn) => set({ state: 'left', agent: goesOn }),
  };
}

/** The remediation asks again later, in another activity, without an attempt being used up. */
export function delayed(reason: string, known: AgentKnown): Delayed {
  return { state: 'delayed', reason, attempts: attemptNumber() - 1, known };
}

/** A worker that stops while it waits for something elsewhere is nobody's failure: another worker waits for the same. */
export function delayedByStop(attempt: Attempt, { kind }: Agent, error: unknown): Delayed | undefined {
  const isStop = error instanceof CancelledFailure && isWorkerStopped();
  return isStop && isElsewhere(kind) ? delayed(WORKER_STOPPED, attempt.now()) : undefined;
}

/**
 * What is known of the agent must reach the workflow with whatever ends the attempt, which may be the last one: the server keeps
 * no details of an attempt that just stops with its worker.
 */
export function withKnown(error: unknown, attempt: Attempt, isAbort: boolean): unknown {
  const known = afterEnd(attempt.now());
  if (error instanceof CancelledFailure) {
    const details: SpawnDetails = { attempts: attemptNumber(), known };
    if (isAbort) return new CancelledFailure(error.message, [details], error);
    return isWorkerStopped() ? failure({ type: 'worker-stopped', message: WORKER_STOPPED, more: { known } }) : error;
  }
  if (error instanceof ApplicationFailure) Object.assign(error.details?.[0] ?? {}, { known });
  return error;
}

const WORKER_STOPPED = 'the worker that ran it was stopped';

export function isWorkerStopped(): boolean {
  return Context.current().cancellationDetails?.workerShutdown === true;
}

/** A program does not outlive its worker, nor an abort. */
function afterEnd(known: AgentKnown): AgentKnown {
  if (known.state !== 'running') return known;
  return { state: 'ended', agent: { ...known.agent, outcome: 'failed' satisfies AgentOutcome } };
}
