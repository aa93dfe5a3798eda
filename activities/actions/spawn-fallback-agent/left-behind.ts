import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { Agent } from '#config/sections/agents.js';
import type { AttemptDetails } from '#contract/activities.js';
import type { StartedAgent } from '#contract/remediation.js';
import { attempt } from '../../fail.js';
import { isElsewhere } from './is-elsewhere.js';
import { agentOf, type Launch, launchFailure } from './launch.js';

/**
 * An agent elsewhere may be at work from the moment that it is asked for, and this worker may die at any. So heartbeats name it
 * from the first one on; an attempt that lives to know better takes that back.
 */
export function expectElsewhere(launch: Launch, { kind }: Agent): void {
  if (!isElsewhere(kind)) return;
  const agent = agentOf(launch, 'running', kind === 'temporal' ? { id: launch.effectKey } : {});
  Object.assign(launch.details, { agent: { ...agent, mayNotExist: true }, mayStillRun: true, askedBy: kind });
}

/** No attempt has come to ask for the agent that was expected. */
export function takeBackUnasked({ details, mayExist }: Launch): void {
  // What a command has started itself needed no asking.
  if (mayExist || details.process) return;
  delete details.agent;
  delete details.mayStillRun;
  delete details.askedBy;
}

/** What may be at work elsewhere keeps its slot, and the next attempt comes back to it. */
export function isForNextAttempt({ details }: Launch, error: unknown): boolean {
  return details.mayStillRun === true && !(error instanceof ApplicationFailure && error.nonRetryable === true);
}

/**
 * What is known of the agent and its slot must reach the workflow with whatever ends the attempt, which may be the last one:
 * the server keeps no details of an attempt that just stops with its worker.
 */
export function withDetails(error: unknown, launch: Launch, isAbort: boolean): unknown {
  const known = knownOf(launch);
  if (error instanceof CancelledFailure) {
    if (isAbort) {
      const details: AttemptDetails = { attempts: attempt(), launcher: launch.launcher, ...known };
      return new CancelledFailure(error.message, [details], error);
    }
    if (!isWorkerStopped()) return error;
    return completed(launchFailure(launch, { type: 'worker-stopped', message: WORKER_STOPPED }), known);
  }
  return error instanceof ApplicationFailure ? completed(error, known) : error;
}

export const WORKER_STOPPED = 'the worker that ran it was stopped';

export function isWorkerStopped(): boolean {
  return Context.current().cancellationDetails?.workerShutdown === true;
}

type Known = Pick<AttemptDetails, 'agent' | 'mayStillRun' | 'askedBy' | 'slot'>;

export function knownOf({ details: { agent, mayStillRun, askedBy, slot } }: Launch): Known {
  return {
    ...(agent && { agent: mayStillRun ? agent : ended(agent) }),
    ...(mayStillRun && { mayStillRun }),
    ...(mayStillRun && askedBy !== undefined && { askedBy }),
    ...(slot && { slot }),
  };
}

/** A program does not outlive its worker, nor an abort. */
function ended(agent: StartedAgent): StartedAgent {
  return agent.outcome === 'running' ? { ...agent, outcome: 'failed' } : agent;
}

/** A launcher that says what has become of its agent has the last word on that. */
function completed(error: ApplicationFailure, { slot, ...agent }: Known): ApplicationFailure {
  const details = error.details?.[0] as AttemptDetails | undefined;
  if (!details) return error;
  const isSaid = details.agent !== undefined || details.declinedSession !== undefined;
  Object.assign(details, slot && { slot }, isSaid ? {} : agent);
  // Two at once could undo each other's work.
  if (details.mayStillRun) delete details.next;
  return error;
}
