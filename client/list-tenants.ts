import type { Client } from '@temporalio/client';
import { tenantOfWatch } from '#contract/ids.js';
import { WORKFLOW_TYPES } from '#contract/names.js';

const MAX_TENANTS = 1_000;

/** Tenants with an open watch, by name. */
export async function listTenants(client: Client): Promise<string[]> {
  const { executions } = await client.workflowService.listWorkflowExecutions({
    namespace: client.options.namespace,
    query: `WorkflowType = '${WORKFLOW_TYPES.watch}' AND ExecutionStatus = 'Running'`,
    pageSize: MAX_TENANTS,
  });
  const tenants = (executions ?? []).flatMap(({ execution }) => tenantOfWatch(execution?.workflowId ?? '') ?? []);
  return [...new Set(tenants)].sort();
}
