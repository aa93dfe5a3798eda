import { isCancellation } from '@temporalio/workflow';
import type { SpawnPlan } from '../../../contract/actions/spawn-fallback-agent/schema.js';
import type { StartedAgent } from '../../../contract/remediation.js';
import { plural } from '../../../contract/plural.js';
import type { ActionRun } from '../action-run.js';
import { detailsOf, isTimeout, resultOfFailure } from '../failure-result.js';
import { awaitEnd } from './await-end.js';
import { launchWhenFree, type Tally } from './launch-when-free.js';
import { nameOf, type Tried } from './tried.js';

/** Starts an agent through one launcher, and stays with it for as long as the rule asks. Never throws. */
export async function tryLauncher(run: ActionRun<SpawnPlan>, launcher: string | undefined): Promise<Tried> {
  const tally: Tally = { failedBefore: 0 };
  const { outcome, launched, next } = await tryOnce(run, launcher, tally);
  const attempts = outcome.attempts + tally.failedBefore;
  return { outcome: { ...outcome, attempts }, launched: launched && { ...launched, attempts }, next };
}

async function tryOnce(run: ActionRun<SpawnPlan>, launcher: string | undefined, tally: Tally): Promise<Tried> {
  let agent: StartedAgent | undefined;
  try {
    const answer = await launchWhenFree(run, launcher, tally);
    if (answer.state === 'busy') return busyForGood(answer);
    agent = answer.agent;
    run.show({ agent, note: undefined });
    if (answer.state === 'launched' && run.plan.await === 'finished') {
      return await awaitEnd(run, answer, endOf(agent, launcher !== undefined));
    }
    const { detail, attempts } = answer;
    return {
      outcome: { status: 'executed', detail, agent, attempts },
      launched: { launcher: agent.launcher, status: 'launched', attempts },
    };
  } catch (error) {
    return isCancellation(error) ? aborted(error, agent) : failed(error, launcher);
  }
}

/**
 * Of a first launcher every end counts: an attempt before may have learned an id that the last one did not. In the place of
 * another, only that of its own agent: a launch that failed may have started an agent after all, which ends some time.
 */
function endOf({ id, session }: StartedAgent, isFallback: boolean): (agentId: string) => boolean {
  return (agentId) => !isFallback || agentId === id || agentId === session;
}

function busyForGood({ launcher, slots, next }: { launcher: string; slots: number; next?: string }): Tried {
  const reason = `no slot of ${launcher} was free for an hour: it runs ${plural(slots, 'agent')} at a time`;
  return {
    outcome: { status: 'failed', reason, attempts: 1 },
    launched: { launcher, status: 'failed', reason, attempts: 1 },
    next,
  };
}

/** By now a command is ended, and so is a workflow that the launcher started; what else runs elsewhere goes on. */
function aborted(error: unknown, agent: StartedAgent | undefined): Tried {
  const { reason, attempts } = resultOfFailure(error);
  if (!agent) return { outcome: { status: 'aborted', reason, attempts } };
  return {
    outcome: { status: 'aborted', reason: `${reason}; ${nameOf(agent)} goes on: it runs elsewhere`, agent, attempts },
    launched: { launcher: agent.launcher, status: 'launched', attempts },
  };
}

function failed(error: unknown, launcher: string | undefined): Tried {
  const outcome = resultOfFailure(error);
  const details = detailsOf(error);
  const tried = details?.launcher ?? launcher;
  const agent = details?.agent;
  const ended = isTimeout(error) ? 'timeout' : 'failed';
  return {
    outcome: agent ? { ...outcome, agent: { ...agent, outcome: ended } } : outcome,
    ...(tried !== undefined && {
      launched: { launcher: tried, status: 'failed', reason: outcome.reason, attempts: outcome.attempts },
    }),
    next: details?.next,
  };
}
