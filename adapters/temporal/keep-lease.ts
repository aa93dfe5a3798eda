import { type Client, WorkflowExecutionAlreadyStartedError, type WorkflowIdReusePolicy } from '@temporalio/client';
import { leaseId } from '#contract/ids.js';
import type { Lease, LeaseInput, LeaseMemo } from '#contract/lease.js';
import { LEASE_MEMO, LEASE_SIGNALS, WORKFLOW_TYPES } from '#contract/names.js';
import { summaryOf } from '#contract/text/shorten.js';
import type { Workflows } from './workflows.js';
import { searchAttributePairs } from './search-attributes.js';
import { unlessGone } from './unless-gone.js';

/** Starts the lease on an environment, or extends the one that runs. Doing it twice changes nothing. */
export function makeKeepLease(client: Client, taskQueue: string): Workflows['keepLease'] {
  return async (lease) => {
    const workflowId = leaseId(taskQueue, lease.environment);
    const signalOrStart = (input: LeaseInput, workflowIdReusePolicy: WorkflowIdReusePolicy) =>
      client.workflow.signalWithStart(WORKFLOW_TYPES.lease, {
        workflowId,
        workflowIdReusePolicy,
        taskQueue,
        args: [input],
        signal: LEASE_SIGNALS.extend,
        signalArgs: [lease],
        staticSummary: summaryOf(`Keeps ${lease.environment} warm, then gives it back`),
        typedSearchAttributes: searchAttributePairs({ MeshTenant: lease.tenant }),
      });
    try {
      await signalOrStart({ lease }, 'REJECT_DUPLICATE');
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      // The last lease is over. What it left behind is known only now: while it ran it could still have given that back.
      await signalOrStart({ lease, ...(await inheritance(client, workflowId, lease)) }, 'ALLOW_DUPLICATE');
    }
  };
}

/** More of them than this is a trouble that people know about by now. */
const MAX_UNRESOLVED = 20;

/** What the last lease on this environment leaves to the next one. */
async function inheritance(
  client: Client,
  workflowId: string,
  { targetHash }: Lease,
): Promise<Pick<LeaseInput, 'inherited' | 'unresolvedRuns'>> {
  const last = await unlessGone(client.workflow.getHandle(workflowId).describe(), undefined);
  const memo = last?.memo?.[LEASE_MEMO] as LeaseMemo | undefined;
  if (!last || !memo) return {};
  const { restorePoint, unresolvedRuns } = memo;
  const isLeft = restorePoint !== undefined && last.status.name !== 'COMPLETED';
  if (isLeft && memo.targetHash === targetHash) return { inherited: restorePoint, unresolvedRuns };
  return { unresolvedRuns: [...unresolvedRuns, ...(isLeft ? [last.runId] : [])].slice(-MAX_UNRESOLVED) };
}
