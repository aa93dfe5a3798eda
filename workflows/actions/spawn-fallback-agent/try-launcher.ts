import { CancellationScope, CancelledFailure, isCancellation } from '@temporalio/workflow';
import type { SpawnPlan } from '#contract/actions/spawn-fallback-agent/schema.js';
import type { AttemptDetails, PutOff } from '#contract/activities.js';
import type { Launch, StartedAgent } from '#contract/remediation.js';
import { plural } from '#contract/text/words.js';
import type { ActionRun, Outcome } from '../action-run.js';
import {
  abortOf,
  detailsOf,
  isCancelledByAttempt,
  isSilence,
  isTimeout,
  NEVER_STARTED,
  resultOfFailure,
} from '../failure-result.js';
import { awaitEnd, type Launched } from './await-end.js';
import { endLeft, type Left } from './end-left.js';
import { giveBackSlots } from './give-back-slots.js';
import { isPutOff, launchWhenFree, type SoFar, type Wanted } from './launch-when-free.js';
import { launchedAgent, nameOf, type Tried } from './tried.js';

/** Starts an agent through one launcher, and stays with it for as long as the rule asks. Never throws. */
export async function tryLauncher(run: ActionRun<SpawnPlan>, wanted: Wanted): Promise<Tried> {
  const soFar: SoFar = { failedBefore: 0 };
  const { outcome, launched, next } = await tryOnce(run, wanted, soFar);
  const attempts = outcome.attempts + soFar.failedBefore;
  return { outcome: { ...outcome, attempts }, launched: launched && { ...launched, attempts }, next };
}

async function tryOnce(run: ActionRun<SpawnPlan>, wanted: Wanted, soFar: SoFar): Promise<Tried> {
  let elsewhere: Pick<Launched, 'agent' | 'attempts'> | undefined;
  let details: AttemptDetails | undefined;
  try {
    const answer = await launchWhenFree(run, wanted, soFar);
    if (isPutOff(answer)) return putOffForGood(answer, wanted, soFar);
    elsewhere = answer;
    const { agent, detail, attempts } = answer;
    run.show({ agent, doing: undefined });
    if (answer.state === 'launched' && run.plan.await === 'finished') return await awaitEnd(run, answer);
    return {
      outcome: { status: 'executed', detail, agent, attempts },
      launched: { launcher: agent.launcher, status: 'launched', attempts, agent: launchedAgent(agent) },
    };
  } catch (error) {
    details = detailsOf(error);
    const isAbort = isCancellation(error) || isAbortUnheard(error);
    if (!isAbort) return failed(resultOfFailure(error), details, { wanted, isLate: isTimeout(error) });
    if (elsewhere) return abortedElsewhere(error, elsewhere);
    const left = isCancelledByAttempt(error) ? details : await endLeft(run, wanted, details ?? soFar.earlier);
    return aborted(error, left);
  } finally {
    // That of a worker which died, or could not, too. Not before its agent has ended, which the next one would run beside.
    await giveBackSlots([details?.slot, soFar.place?.slot].filter((slot) => slot !== undefined));
  }
}

/**
 * A worker that has died cannot say that it was cancelled, and an attempt that fails in that very moment does not: what comes of
 * that is no cancellation. It is an abort all the same, and an agent may be left at work.
 */
function isAbortUnheard(error: unknown): boolean {
  if (!CancellationScope.current().consideredCancelled) return false;
  return isSilence(error) || detailsOf(error)?.mayStillRun === true;
}

function putOffForGood(answer: PutOff, wanted: Wanted, { earlier }: SoFar): Tried {
  const { launcher, next } = answer;
  const reason =
    answer.state === 'busy'
      ? `no slot of ${answer.launcher} was free for an hour: it runs ${plural(answer.slots, 'agent')} at a time`
      : `given up after an hour: ${answer.reason}`;
  const details: AttemptDetails = {
    ...earlier,
    attempts: 1,
    ...(launcher !== undefined && { launcher }),
    ...(next !== undefined && { next }),
  };
  return failed({ status: 'failed', reason, attempts: 1 }, details, { wanted, isLate: false });
}

/** The remediation waited for its end, and is not waited for itself any more. */
function abortedElsewhere(error: unknown, { agent, attempts }: Pick<Launched, 'agent' | 'attempts'>): Tried {
  const { reason } = abortOf(error);
  return abortedBeside({ reason, attempts }, agent, `${nameOf(agent)} goes on: it runs elsewhere`);
}

/** By now a command is ended, and so is a workflow that heeds being cancelled; what else runs elsewhere goes on. */
function aborted(error: unknown, left: Left | undefined): Tried {
  const agent = left?.agent;
  const abort = abortOf(error);
  if (agent && left.mayStillRun) return abortedBeside(abort, agent, mayBeAtWork(agent));
  // Nothing was asked of any activity: it waited for a slot, or was the next launcher in line.
  if (!agent && error instanceof CancelledFailure) return { outcome: NEVER_STARTED };
  const outcome: Outcome = { status: 'aborted', ...abort };
  if (!agent) return { outcome };
  const record = { launcher: agent.launcher, ...abort, agent: launchedAgent(agent) };
  return { outcome: { ...outcome, agent }, launched: { ...record, status: 'failed' } };
}

function abortedBeside({ attempts, ...abort }: ReturnType<typeof abortOf>, agent: StartedAgent, why: string): Tried {
  const reason = `${abort.reason}; ${why}`;
  return {
    outcome: { status: 'aborted', reason, agent, attempts },
    launched: { launcher: agent.launcher, status: 'launched', reason, attempts, agent: launchedAgent(agent) },
  };
}

interface Failed {
  wanted: Wanted;
  isLate: boolean;
}

function failed(outcome: Outcome, details: AttemptDetails | undefined, { wanted, isLate }: Failed): Tried {
  const tried = details?.launcher ?? wanted.launcher;
  const agent = details?.agent;
  const { attempts } = outcome;
  if (agent && details.mayStillRun) {
    const now: StartedAgent = { ...agent, outcome: isLate ? 'timeout' : 'running' };
    const reason = `${outcome.reason}; ${mayBeAtWork(agent)}`;
    return {
      outcome: { ...outcome, reason, agent: now },
      launched: { launcher: agent.launcher, status: 'launched', reason, attempts, agent: launchedAgent(now) },
    };
  }
  const ended = agent && { ...agent, outcome: isLate ? ('timeout' as const) : ('failed' as const) };
  const { reason } = outcome;
  return {
    outcome: ended ? { ...outcome, agent: ended } : outcome,
    ...(tried !== undefined && {
      launched: { launcher: tried, status: 'failed', reason, attempts, ...agentOf(ended, details?.declinedSession) },
    }),
    next: details?.next,
  };
}

/** No other launcher is tried then: two agents at once could undo each other's work. */
function mayBeAtWork(agent: StartedAgent): string {
  return `${nameOf(agent)} may still be at work`;
}

/** One that was declined has not run. It is on record by its session, since its key may count as used. */
function agentOf(ended: StartedAgent | undefined, declinedSession: string | undefined): Pick<Launch, 'agent'> {
  if (ended) return { agent: launchedAgent(ended) };
  return declinedSession === undefined ? {} : { agent: { session: declinedSession, outcome: 'failed' } };
}
