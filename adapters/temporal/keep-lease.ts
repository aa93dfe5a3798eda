import type { Client } from '@temporalio/client';
import { leaseId } from '#contract/ids.js';
import type { LeaseInput } from '#contract/lease.js';
import { LEASE_SIGNALS, WORKFLOW_TYPES } from '#contract/names.js';
import { summaryOf } from '#contract/text/shorten.js';
import type { Workflows } from './workflows.js';
import { searchAttributePairs } from './search-attributes.js';

/** Starts the lease on an environment, or extends the one that runs. Doing it twice changes nothing. */
export function makeKeepLease(client: Client, taskQueue: string): Workflows['keepLease'] {
  return async (lease) => {
    await client.workflow.signalWithStart(WORKFLOW_TYPES.lease, {
      workflowId: leaseId(taskQueue, lease.environment),
      taskQueue,
      args: [{ lease } satisfies LeaseInput],
      signal: LEASE_SIGNALS.extend,
      signalArgs: [lease],
      staticSummary: summaryOf(`Keeps ${lease.environment} warm, then gives it back`),
      typedSearchAttributes: searchAttributePairs({ MeshTenant: lease.tenant }),
    });
  };
}
