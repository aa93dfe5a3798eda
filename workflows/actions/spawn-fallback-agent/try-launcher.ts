import {
  CancellationScope,
  CancelledFailure,
  isCancellation,
  log,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { SpawnPlan } from '#contract/actions/spawn-fallback-agent/schema.js';
import type { ActionActivities, LaunchedAnswer } from '#contract/activities.js';
import { agentIn, type AgentKnown, isAtWork, type SpawnDetails } from '#contract/attempt.js';
import { actionQueueOf } from '#contract/names.js';
import type { Launch, StartedAgent } from '#contract/remediation.js';
import { summaryOf } from '#contract/text/shorten.js';
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
import { awaitEnd } from './await-end.js';
import { giveBackSlot, launchInSlot, type SoFar, type Wanted } from './launch-in-slot.js';
import { launchedAgent, nameOf, type Tried } from './launch-record.js';

/** Starts an agent through one launcher, and stays with it for as long as the rule asks. Never throws. */
export async function tryLauncher(run: ActionRun<SpawnPlan>, wanted: Wanted): Promise<Tried> {
  const soFar: SoFar = { failedBefore: 0, waitedMs: 0 };
  const { outcome, launched, next } = await tryOnce(run, wanted, soFar);
  const attempts = outcome.attempts + soFar.failedBefore;
  return { outcome: { ...outcome, attempts }, launched: launched && { ...launched, attempts }, next };
}

async function tryOnce(run: ActionRun<SpawnPlan>, wanted: Wanted, soFar: SoFar): Promise<Tried> {
  let elsewhere: LaunchedAnswer | undefined;
  try {
    const answer = await launchInSlot(run, wanted, soFar);
    if (answer.state === 'given-up') {
      const outcome: Outcome = { status: 'failed', reason: answer.reason, attempts: 1 };
      return failed(outcome, soFar.known, { soFar, wanted, isLate: false });
    }
    elsewhere = answer;
    const { agent, detail, attempts } = answer;
    run.show({ agent, doing: undefined });
    if (answer.state === 'launched' && run.plan.await === 'finished')
      return await awaitEnd(run, answer, soFar.slot?.next);
    return {
      outcome: { status: 'executed', detail, agent, attempts },
      launched: { launcher: agent.launcher, status: 'launched', attempts, agent: launchedAgent(agent) },
    };
  } catch (error) {
    const known = knownFrom(error);
    const isAbort = isCancellation(error) || isAbortUnheard(error);
    if (!isAbort) return failed(resultOfFailure(error), known, { soFar, wanted, isLate: isTimeout(error) });
    if (elsewhere) return abortedElsewhere(error, elsewhere);
    const left = isCancelledByAttempt(error) ? known : await endLeft(run, wanted, known ?? soFar.known);
    return aborted(error, left);
  } finally {
    // Not before its agent has ended, which the next one would run beside.
    if (soFar.slot) await giveBackSlot(run, soFar.slot);
  }
}

/** From the last attempt, if any has said something. */
function knownFrom(error: unknown): AgentKnown | undefined {
  return detailsOf<SpawnDetails>(error)?.known;
}

/**
 * A worker that has died cannot say that it was cancelled, and an attempt that fails in that very moment does not: what comes of
 * that is no cancellation. It is an abort all the same, and an agent may be left at work.
 */
function isAbortUnheard(error: unknown): boolean {
  if (!CancellationScope.current().consideredCancelled) return false;
  return isSilence(error) || isAtWork(knownFrom(error));
}

/**
 * An abort that met no attempt: it came between two of them, or their worker has died. What an attempt has left at work, an
 * activity of its own ends. Never throws.
 */
async function endLeft(
  { plan, request, agentEnds, shownAgent }: ActionRun<SpawnPlan>,
  { tried }: Wanted,
  known: AgentKnown | undefined,
): Promise<AgentKnown | undefined> {
  const agent = agentIn(known) ?? shownAgent() ?? agentEnds.lastAsked(plan.name);
  // That of a launcher which has failed for good was ended before this one was tried.
  if (!agent || tried.includes(agent.launcher)) return undefined;
  const { endFallbackAgent } = proxyActivities<Pick<ActionActivities, 'endFallbackAgent'>>({
    taskQueue: actionQueueOf(workflowInfo().taskQueue, 'agents'),
    startToCloseTimeout: ONE_TRY_MS,
    scheduleToCloseTimeout: ALL_TRIES_MS,
    retry: { initialInterval: 1_000, maximumInterval: 5_000 },
    summary: summaryOf(`end what is left of the agent (${plan.name})`),
  });
  try {
    return await CancellationScope.nonCancellable(() => endFallbackAgent({ ...request(), agent }));
  } catch (error) {
    log.warn('could not end an agent after an abort', { launcher: agent.launcher, error });
    return { state: 'left', agent };
  }
}

/** A workflow has eight seconds to end; a process, seven. */
const ONE_TRY_MS = 20_000;
/** An abort is to be over some time, also where no worker is left. */
const ALL_TRIES_MS = 60_000;

/** The remediation waited for its end, and is not waited for itself any more. */
function abortedElsewhere(error: unknown, { agent, attempts }: LaunchedAnswer): Tried {
  const { reason } = abortOf(error);
  return abortedBeside({ reason, attempts }, agent, `${nameOf(agent)} goes on: it runs elsewhere`);
}

/** By now a command is ended, and so is a workflow that heeds being cancelled; what else runs elsewhere goes on. */
function aborted(error: unknown, left: AgentKnown | undefined): Tried {
  const abort = abortOf(error);
  if (isAtWork(left)) return abortedBeside(abort, left.agent, mayBeAtWork(left.agent));
  const agent = agentIn(left);
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
  soFar: SoFar;
  isLate: boolean;
}

function failed(outcome: Outcome, known: AgentKnown | undefined, { wanted, soFar, isLate }: Failed): Tried {
  const { attempts } = outcome;
  if (isAtWork(known)) {
    const { agent } = known;
    const now: StartedAgent = { ...agent, outcome: isLate ? 'timeout' : 'running' };
    const reason = `${outcome.reason}; ${mayBeAtWork(agent)}`;
    return {
      outcome: { ...outcome, reason, agent: now },
      launched: { launcher: agent.launcher, status: 'launched', reason, attempts, agent: launchedAgent(now) },
    };
  }
  const agent = agentIn(known);
  const ended = agent && { ...agent, outcome: isLate ? ('timeout' as const) : ('failed' as const) };
  const { reason } = outcome;
  const launcher = soFar.slot?.launcher ?? wanted.launcher;
  return {
    outcome: ended ? { ...outcome, agent: ended } : outcome,
    ...(launcher !== undefined && {
      launched: { launcher, status: 'failed', reason, attempts, ...recordOf(ended, known) },
    }),
    next: soFar.slot?.next,
  };
}

/** No other launcher is tried then: two agents at once could undo each other's work. */
function mayBeAtWork(agent: StartedAgent): string {
  return `${nameOf(agent)} may still be at work`;
}

/** One that was declined has not run. It is on record by its session, since its key may count as used. */
function recordOf(ended: StartedAgent | undefined, known: AgentKnown | undefined): Pick<Launch, 'agent'> {
  if (ended) return { agent: launchedAgent(ended) };
  return known?.state === 'declined' ? { agent: { session: known.session, outcome: 'failed' } } : {};
}
