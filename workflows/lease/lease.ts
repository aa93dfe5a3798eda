import {
  type ActivityInterfaceFor,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  log,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { ActionReport, LeaseActivities } from '#contract/activities.js';
import { type Lease, LEASE_ATTEMPT_MS, type LeaseInput, type RestorePoint } from '#contract/lease.js';
import { LEASE_SIGNALS } from '#contract/names.js';
import { summaryOf } from '#contract/text/shorten.js';
import { finalFailure } from '../final-failure.js';
import { extendLease, isLeaseOf, leaseToReacquire, withRestorePoint } from './kept-lease.js';
import { type LeaseState, renderLeaseDetails } from './lease-details.js';
import { activityOptions } from '../actions/activity-options.js';
import { resultOfFailure } from '../actions/failure-result.js';

/**
 * Keeps capacity until the last time anybody asked for, then gives it back. Cancelling it gives the capacity back now;
 * terminating it does not. What is asked for while it gives back is kept by a run that follows.
 */
export async function lease(input: LeaseInput): Promise<ActionReport> {
  const scope = CancellationScope.current();
  let kept = input.lease;
  let state: LeaseState = { state: 'kept' };
  /** What was asked for since giving back began. */
  let next: Lease | undefined;
  setHandler(defineSignal<[unknown?]>(LEASE_SIGNALS.extend), onAsked, {
    description: 'Another remediation asks for the capacity too: it is kept until the later of both times.',
  });

  show(input.mustReacquire ? await reacquireFirst() : state);
  await untilItsEnd();
  show({ state: 'releasing', because: scope.consideredCancelled ? 'cancelled' : 'due' });
  // To the end, also when the lease is cancelled meanwhile: that asks for what is being done.
  const ended = await CancellationScope.nonCancellable(() => release(kept));
  // The capacity was found there, and may be gone by now.
  if (next) return goOn({ lease: next, mustReacquire: true });
  if ('problem' in ended) {
    show({ state: 'stuck', reason: ended.problem });
    throw failure(kept, ended.problem);
  }
  show({ state: 'released', report: ended });
  return ended;

  function onAsked(asked: unknown): void {
    if (!isLeaseOf(kept.environment, asked, Date.now()))
      return log.warn('ignored a signal that is no lease of this environment');
    if (asked.targetHash !== kept.targetHash)
      log.warn('the bridge has another address: what the mesh has raised at the one before is left there');
    if (state.state === 'releasing') {
      next = extendLease(next ?? { ...kept, untilAt: 0, ensure: 0 }, asked);
      return;
    }
    kept = extendLease(kept, asked);
    // Whoever asks now sees to it that the capacity is there.
    show(state.state === 'missing' ? { state: 'kept' } : state);
  }

  async function reacquireFirst(): Promise<LeaseState> {
    if (Date.now() >= kept.untilAt) return state;
    kept = leaseToReacquire(kept);
    show({ state: 'reacquiring' });
    const { problem, restorePoint } = await reacquire(kept);
    kept = withRestorePoint(kept, restorePoint);
    if (problem === undefined) return { state: 'kept' };
    log.warn(`capacity of ${kept.environment} could not be re-acquired: ${problem}`);
    return { state: 'missing', reason: problem };
  }

  /** The end may be put off meanwhile. A cancellation ends the wait. */
  async function untilItsEnd(): Promise<void> {
    try {
      while (Date.now() < kept.untilAt) {
        const summary = summaryOf(`keeps ${kept.environment} warm`);
        await condition(isLong, kept.untilAt - Date.now(), { summary });
        if (isLong()) await goOn({ lease: kept });
      }
    } catch (error) {
      if (!isCancellation(error)) throw error;
    }
  }

  /** A run that follows would know nothing of a cancel that this one was sent. */
  function isLong(): boolean {
    return workflowInfo().continueAsNewSuggested && !scope.consideredCancelled;
  }

  function show(now: LeaseState): void {
    state = now;
    setCurrentDetails(renderLeaseDetails(kept, state));
  }
}

function goOn(next: LeaseInput): Promise<never> {
  return continueAsNew<typeof lease>(next);
}

/** Closes the workflow as failed, so that operators see red: somebody must give the capacity back by hand. */
function failure({ environment, restorePoint }: Lease, reason: string): Error {
  const details = [{ reason, ...(restorePoint && { restorePoint }) }];
  return finalFailure('release-failed', `capacity of ${environment} was not given back: ${reason}`, details);
}

/** Capacity that nobody gives back costs money, so this is tried for a day. */
const RELEASE_WITHIN_MS = 24 * 3_600_000;

/** Gives the capacity back, and says why where it could not. */
async function release(lease: Lease): Promise<ActionReport | { problem: string }> {
  const { releaseCapacity } = leaseActivities(lease, 'give capacity back', RELEASE_WITHIN_MS);
  try {
    return await releaseCapacity(lease);
  } catch (error) {
    return { problem: resultOfFailure(error).reason ?? 'failed' };
  }
}

interface Reacquired {
  restorePoint?: RestorePoint;
  /** Why the capacity could not be re-acquired. */
  problem?: string;
}

/**
 * Takes the capacity again, trying for as long as it is wanted. The lease goes on even if that fails, because whatever is there
 * must still be given back. A cancellation of the lease ends this, and the lease then gives back.
 */
async function reacquire(lease: Lease): Promise<Reacquired> {
  const withinMs = Math.max(lease.untilAt - Date.now(), LEASE_ATTEMPT_MS);
  const { reacquireCapacity } = leaseActivities(lease, 're-acquire capacity', withinMs);
  try {
    const { status, reason, restorePoint } = await reacquireCapacity(lease);
    if (status === 'skipped') return { problem: reason ?? 'skipped' };
    return restorePoint ? { restorePoint } : {};
  } catch (error) {
    if (isCancellation(error)) return {};
    return { problem: resultOfFailure(error).reason ?? 'failed' };
  }
}

const RETRY = { initialIntervalMs: 1_000, maxIntervalMs: 60_000 };

/** Retried until `withinMs` is over. The Temporal UI shows `doing` beside it. */
function leaseActivities(
  { environment }: Lease,
  doing: string,
  withinMs: number,
): ActivityInterfaceFor<LeaseActivities> {
  return proxyActivities<LeaseActivities>({
    ...activityOptions({ name: environment, timeoutMs: LEASE_ATTEMPT_MS, retry: RETRY }, doing),
    scheduleToCloseTimeout: withinMs,
  });
}
