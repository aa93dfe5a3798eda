import { Context } from '@temporalio/activity';
import type { DeliveryDetails } from '#contract/notification.js';
import { attempt, failure } from './fail.js';
import type { Workflows } from '#adapters/temporal/workflows.js';

type AsksServer = Pick<Workflows, 'isCancelRequested'>;
type Before = Partial<DeliveryDetails>;

/**
 * For an action that is one activity: ends it, when it was aborted while no worker was there, before it has done anything. To be
 * called with heartbeats, right before what cannot be taken back. `before`: what the attempts before this one have left.
 */
export async function endIfAborted(workflows: AsksServer, before: Before = {}): Promise<void> {
  if (!(await isAbortUnheard(workflows))) return;
  const { attempts = attempt() - 1, ...more } = before;
  // No cancellation, which an attempt can only answer once it was asked: that takes until the workflow has a worker too.
  throw failure({ type: 'aborted', message: ABORT_UNHEARD, isFinal: true, attempts, more });
}

export const ABORT_UNHEARD = 'it was aborted while no worker was there';

/**
 * Whether it was aborted while no worker was there. The server hands out an attempt that has waited to the first worker that
 * comes, and does not wait for the workflow, which would take that attempt back. Rejects with the cancellation once it is heard.
 */
export async function isAbortUnheard(workflows: AsksServer): Promise<boolean> {
  const { info, cancellationSignal, cancelled } = Context.current();
  const { workflowExecution } = info;
  if (!workflowExecution || !hasWaited(info)) return false;
  const { workflowId, runId } = workflowExecution;
  // Where that cannot be said, a message or an agent too many is better than none.
  const isAsked = await workflows.isCancelRequested(workflowId, runId).catch(() => false);
  if (cancellationSignal.aborted) await cancelled;
  return isAsked;
}

/** One that a worker has taken right away was asked for by a workflow that had a worker, and would hear of an abort. */
function hasWaited({ attempt, scheduledTimestampMs }: Context['info']): boolean {
  return attempt > 1 || Math.abs(Date.now() - scheduledTimestampMs) > TAKEN_AT_ONCE_MS;
}

/** Either way, since the clock of the server may differ: then it is asked in vain. */
const TAKEN_AT_ONCE_MS = 2_000;
