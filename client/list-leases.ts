import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { parseLeaseId } from '#contract/ids.js';
import { WORKFLOW_TYPES } from '#contract/names.js';
import { isPlain, listRuns, quoted } from './list-runs.js';
import type { LeasePage, RunningLease } from '#contract/views/lease.js';
import { retriedActivities } from './retried-activities.js';
import { summaryFrom } from './run-summary.js';

/** Each of them is asked for how it stands. */
const LISTED = 20;

/** Capacity that is kept warm or being given back. The server knows all of it, so no worker is needed. */
export async function listLeases(client: Client, tenant: string): Promise<LeasePage> {
  if (!isPlain(tenant)) return { leases: [], more: false };
  const terms = [
    `WorkflowType = ${quoted(WORKFLOW_TYPES.lease)}`,
    `MeshTenant = ${quoted(tenant)}`,
    `ExecutionStatus = 'Running'`,
  ];
  const { runs, nextPage } = await listRuns(client, { query: terms.join(' AND '), limit: LISTED });
  const leases = await Promise.all(runs.map((run) => leaseAt(client, summaryFrom(run).id)));
  return { leases: leases.filter((one) => one !== undefined), more: nextPage !== undefined };
}

/** Undefined when it has ended since it was listed. */
async function leaseAt(client: Client, id: string): Promise<RunningLease | undefined> {
  const description = await unlessForgotten(client.workflow.getHandle(id).describe());
  if (description?.status.name !== 'RUNNING') return undefined;
  const retrying = await retriedActivities(client, description, []);
  return {
    id,
    runId: description.runId,
    environment: parseLeaseId(id)?.environment ?? '',
    startedAt: description.startTime.getTime(),
    ...(retrying.length > 0 && { retrying }),
  };
}

/** Lists may name a run for a while after its retention time is over. */
async function unlessForgotten<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
