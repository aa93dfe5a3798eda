import {
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  log,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { ActionReport } from '../contract/activities.js';
import type { FailureType } from '../contract/failures.js';
import { extendLease, type Lease, type LeaseInput } from '../contract/lease.js';
import { LEASE_SIGNALS } from '../contract/names.js';
import { summaryOf } from '../contract/summary.js';
import { resultOfFailure } from './actions/failure-result.js';
import { type LeaseState, renderLeaseDetails } from './lease-details.js';
import { releaseUnless } from './release-lease.js';

/** Each costs a handful of events of history. */
const MAX_EXTENSIONS = 500;

/**
 * Keeps capacity until the last time anybody asked for, then gives it back. Cancelling it gives the capacity back now;
 * terminating it does not.
 */
export async function lease(input: LeaseInput): Promise<ActionReport> {
  let kept = input.lease;
  /** What an operator has ended. */
  let cancelled: Lease | undefined;
  let extensions = 0;
  const { maxExtensions = MAX_EXTENSIONS } = input;
  let state: LeaseState = { state: 'kept' };
  setHandler(defineSignal<[unknown?]>(LEASE_SIGNALS.extend), extend, {
    description: 'Another remediation asks for the capacity too: it is kept until the later of both times.',
  });

  for (;;) {
    show({ state: 'kept' });
    const isEarly = await isEndedEarly();
    show({ state: 'releasing', isEarly });
    const ended = kept;
    if (isEarly) cancelled = ended;
    // An operator who cancels it means it, whoever asks meanwhile: that is a lease of its own, which comes after.
    const report = await release(() => !isEarly && kept.untilAt > ended.untilAt);
    if (report === 'called off') continue;
    if (isAskedAnew()) await goOn();
    show({ state: 'released', report });
    return report;
  }

  function extend(asked: unknown): void {
    if (!isLeaseOf(kept.environment, asked)) return log.warn('ignored a signal that is no lease of this environment');
    // Who asks once more for what an operator has ended, such as a second attempt, does not get it back.
    if (cancelled && asked.effectKey === cancelled.effectKey && asked.untilAt <= cancelled.untilAt) return;
    kept = extendLease(cancelled && kept === cancelled ? { ...cancelled, untilAt: 0, ensure: 0 } : kept, asked);
    extensions++;
    show(state);
  }

  function isAskedAnew(): boolean {
    return cancelled !== undefined && kept !== cancelled;
  }

  /** In a run of its own, which can be cancelled again. */
  function goOn(): Promise<never> {
    return continueAsNew<typeof lease>({ ...input, lease: kept });
  }

  /** Waits for the end of the lease, which may be put off meanwhile. True when somebody cancelled it before. */
  async function isEndedEarly(): Promise<boolean> {
    try {
      while (Date.now() < kept.untilAt) {
        const summary = summaryOf(`keeps ${kept.environment} warm`);
        const isLong = await condition(() => extensions >= maxExtensions, kept.untilAt - Date.now(), { summary });
        if (isLong) await goOn();
      }
      return false;
    } catch (error) {
      if (isCancellation(error)) return true;
      throw error;
    }
  }

  async function release(isCalledOff: () => boolean): Promise<ActionReport | 'called off'> {
    try {
      return await CancellationScope.nonCancellable(() => releaseUnless(isCalledOff, kept));
    } catch (error) {
      // What was asked for meanwhile is given back at its own end.
      if (isAskedAnew()) await goOn();
      const { reason = 'failed' } = resultOfFailure(error);
      show({ state: 'stuck', reason });
      throw failure(kept, reason);
    }
  }

  function show(now: LeaseState): void {
    state = now;
    setCurrentDetails(renderLeaseDetails(kept, extensions, state));
  }
}

/** Anyone can signal a workflow. */
function isLeaseOf(environment: string, asked: unknown): asked is Lease {
  if (typeof asked !== 'object' || asked === null) return false;
  const lease = asked as Partial<Record<keyof Lease, unknown>>;
  return (
    lease.environment === environment &&
    typeof lease.effectKey === 'string' &&
    Number.isFinite(lease.untilAt) &&
    Number.isFinite(lease.ensure)
  );
}

/** Closes the workflow as failed, so that operators see red: somebody must give the capacity back by hand. */
function failure({ environment }: Lease, reason: string): ApplicationFailure {
  const error = ApplicationFailure.create({
    type: 'release-failed' satisfies FailureType,
    nonRetryable: true,
    message: `capacity of ${environment} was not given back: ${reason}`,
  });
  // Where in our code it was made tells an operator nothing.
  error.stack = '';
  return error;
}
