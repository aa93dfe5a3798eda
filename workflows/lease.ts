import {
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  log,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { ActionReport } from '#contract/activities.js';
import type { Askers, Lease, LeaseInput, LeaseMemo } from '#contract/lease.js';
import { LEASE_MEMO, LEASE_SIGNALS } from '#contract/names.js';
import { summaryOf } from '#contract/text/shorten.js';
import {
  asksForMore,
  extendLease,
  isLeaseOf,
  isSameAgain,
  leaseToReacquire,
  withAsker,
  withInherited,
  withRestorePoint,
} from './kept-lease.js';
import { finalFailure } from './final-failure.js';
import { type LeaseState, renderLeaseDetails } from './lease-details.js';
import { reacquire } from './reacquire-lease.js';
import { release, type ReleaseProblem, releaseUnless } from './release-lease.js';

/** Each costs a handful of events of history. */
const MAX_EXTENSIONS = 500;

/**
 * Keeps capacity until the last time anybody asked for, then gives it back. Cancelling it gives the capacity back now;
 * terminating it does not. Each run ends in one way only: what is asked for while it ends is kept by a run that follows.
 */
export async function lease(input: LeaseInput): Promise<ActionReport> {
  const { maxExtensions = MAX_EXTENSIONS, unresolvedRuns = [] } = input;
  let kept = withInherited(input.lease, input.inherited);
  /** Whoever starts the first run asks by that: a cancel may reach the workflow before the signal that comes with the start. */
  let askers = input.askers ?? withAsker({}, input.lease);
  let extensions = 0;
  const root = CancellationScope.current();
  /** From the moment an operator asks for it, whatever is under way just then. */
  const isCancelled = () => root.consideredCancelled;
  /** It has ended by itself and is being given back: whoever asks calls that off, also after an operator has cancelled it. */
  let isDue = false;
  /** What is asked for after an operator has cancelled this run. */
  let newcomers: Pick<LeaseInput, 'lease' | 'askers'> | undefined;
  /** From a moment after it was cancelled: by then it knows of all that has come together with that. */
  let isCancelHeard = false;
  /** What the last task of this workflow has brought that asks, and how things stood before. */
  let latest: Latest = { task: 0, asked: [], before: { kept, askers } };
  let state: LeaseState = { state: 'kept' };
  /** With nothing in it there is nothing to note. */
  let noted = JSON.stringify({ targetHash: kept.targetHash, unresolvedRuns: [] } satisfies LeaseMemo);
  setHandler(defineSignal<[unknown?]>(LEASE_SIGNALS.extend), onAsked, {
    description: 'Another remediation asks for the capacity too: it is kept until the later of both times.',
  });
  root.cancelRequested.catch(onCancelled);

  show(input.mustReacquire ? await reacquireFirst() : { state: 'kept' });
  await untilItsEnd();
  return isCancelled() ? giveBackNow() : giveBackWhenDue();

  function onAsked(asked: unknown): void {
    if (!isLeaseOf(kept.environment, asked, Date.now()))
      return log.warn('ignored a signal that is no lease of this environment');
    if (isCancelHeard && !isDue) return welcome(asked);
    const task = workflowInfo().historyLength;
    if (latest.task !== task) latest = { task, asked: [], before: { kept, askers } };
    latest.asked.push(asked);
    kept = extendLease(kept, asked);
    askers = withAsker(askers, asked);
    extensions++;
    // Whoever asks now sees to it that the capacity is there.
    show(state.state === 'missing' ? { state: 'kept' } : state);
  }

  /**
   * Of what comes together a workflow hears the signals first, whichever was sent first. An operator ends what they saw, so
   * whoever asked in that moment is not meant. What somebody had asked for before is given back, with what they have raised since.
   */
  function onCancelled(): void {
    isCancelHeard = true;
    if (isDue || latest.task !== workflowInfo().historyLength) return;
    ({ kept, askers } = latest.before);
    for (const asked of latest.asked) {
      if (asksForMore(askers, asked)) welcome(asked);
      else kept = extendLease(kept, asked);
    }
  }

  /** Who only asks once more for what an operator has ended, such as a second attempt, does not get it back. */
  function welcome(asked: Lease): void {
    if (isSameAgain(askers, asked)) return;
    const known = newcomers ?? { lease: { ...kept, untilAt: 0, ensure: 0 }, askers: {} };
    newcomers = { lease: extendLease(known.lease, asked), askers: withAsker(known.askers ?? {}, asked) };
  }

  async function reacquireFirst(): Promise<LeaseState> {
    kept = leaseToReacquire(kept);
    show({ state: 'reacquiring' });
    const { problem, restorePoint } = await reacquire(kept);
    kept = withRestorePoint(kept, restorePoint);
    if (problem === undefined) return { state: 'kept' };
    log.warn(`capacity of ${kept.environment} could not be re-acquired: ${problem}`);
    return { state: 'missing', reason: problem };
  }

  /** Which may be put off meanwhile. A cancellation ends the wait. */
  async function untilItsEnd(): Promise<void> {
    try {
      while (Date.now() < kept.untilAt) {
        const summary = summaryOf(`keeps ${kept.environment} warm`);
        const isLong = await condition(() => extensions >= maxExtensions, kept.untilAt - Date.now(), { summary });
        // A run of its own would know nothing of a cancel that has come together with the last of them.
        if (isLong && !isCancelled()) await goOn({ lease: kept, askers, mustReacquire: false });
      }
    } catch (error) {
      if (!isCancellation(error)) throw error;
    }
  }

  /** Whoever asks for more time meanwhile calls this off. */
  async function giveBackWhenDue(): Promise<ActionReport> {
    isDue = true;
    show({ state: 'releasing', because: 'due' });
    const { untilAt, restorePoint } = kept;
    const ended = await nonCancellable(() => releaseUnless(() => kept.untilAt > untilAt, kept));
    // A number may have been lowered by then, for everybody. At a bridge, what lasts longer was not given back.
    // Also when an operator has cancelled it meanwhile: whether somebody asked before or after that cannot be told, since a
    // workflow hears of both at once, and what is in use must not go.
    if (ended === 'called off') return goOn({ lease: kept, askers, mustReacquire: restorePoint !== undefined });
    return close(ended);
  }

  /** An operator who cancels a lease means it, so nobody calls this off. */
  async function giveBackNow(): Promise<ActionReport> {
    show({ state: 'releasing', because: 'cancelled' });
    const ended = await nonCancellable(() => release(kept));
    // They found the capacity there, and it may have been given back right after; also at a bridge, where a release before its
    // time ends whatever lasts no longer.
    if (newcomers) return goOn({ ...newcomers, mustReacquire: true });
    return close(ended);
  }

  /** In a run of its own, which can be cancelled again. */
  function goOn(next: Pick<LeaseInput, 'lease' | 'askers' | 'mustReacquire'>): Promise<never> {
    const { inherited: _inherited, ...rest } = input;
    return continueAsNew<typeof lease>({ ...rest, ...next });
  }

  function close(ended: ActionReport | ReleaseProblem): ActionReport {
    if ('problem' in ended) {
      show({ state: 'stuck', reason: ended.problem });
      throw failure(kept, ended.problem);
    }
    const { leftElsewhere, ...rest } = kept;
    if (leftElsewhere) {
      // What is noted for a later lease is about that address from now on.
      kept = { ...rest, ...leftElsewhere };
      show({ state: 'stuck', reason: BRIDGE_MOVED });
      throw failure(kept, BRIDGE_MOVED);
    }
    show({ state: 'released', report: ended });
    return ended;
  }

  function show(now: LeaseState): void {
    state = now;
    setCurrentDetails(renderLeaseDetails(kept, Object.keys(askers).length, state));
    noteForLater();
  }

  /** For the next lease, should this one end without giving back. */
  function noteForLater(): void {
    const { targetHash, restorePoint } = kept;
    const memo: LeaseMemo = { targetHash, ...(restorePoint && { restorePoint }), unresolvedRuns };
    const written = JSON.stringify(memo);
    if (written === noted) return;
    noted = written;
    upsertMemo({ [LEASE_MEMO]: memo });
  }
}

interface Latest {
  task: number;
  asked: Lease[];
  before: { kept: Lease; askers: Askers };
}

const BRIDGE_MOVED = 'it was raised at an address of the bridge that mesh.yaml does not name any more';

/** To the end, also when the lease is cancelled meanwhile: that asks for what is being done. */
function nonCancellable<T>(run: () => Promise<T>): Promise<T> {
  return CancellationScope.nonCancellable(run);
}

/** Closes the workflow as failed, so that operators see red: somebody must give the capacity back by hand. */
function failure({ environment, restorePoint }: Lease, reason: string): Error {
  const details = [{ reason, ...(restorePoint && { restorePoint }) }];
  return finalFailure('release-failed', `capacity of ${environment} was not given back: ${reason}`, details);
}
