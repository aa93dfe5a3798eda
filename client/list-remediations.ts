import type { Client } from '@temporalio/client';
import { DEFAULT_TENANT, WORKFLOW_TYPES } from '#contract/names.js';
import { listRuns } from './list-runs.js';
import type { RemediationFilter } from './filters.js';
import type { RemediationPage } from '#contract/views/remediation.js';
import { isPlain, quoted, ruleTerm } from './list-runs.js';
import { summaryFrom } from './run-summary.js';

/** Lists remediations, each once: of one that was retried, the run that counts is the last. */
export async function listRemediations(client: Client, filter: RemediationFilter): Promise<RemediationPage> {
  const { tenant = DEFAULT_TENANT, rule, session } = filter;
  // Neither is ever stored with such a character in it, and no query could ask for it.
  if (!isPlain(tenant) || (session !== undefined && !isPlain(session))) return { remediations: [] };
  const { runs, nextPage } = await listRuns(client, {
    ...filter,
    query: queryOf({ ...filter, tenant }),
    isMeant: (run) => rule === undefined || summaryFrom(run).rule === rule,
  });
  return { remediations: runs.map(summaryFrom), ...(nextPage !== undefined && { nextPage }) };
}

function queryOf({ tenant, rule, outcome, session }: RemediationFilter & { tenant: string }): string {
  const terms = [`WorkflowType = '${WORKFLOW_TYPES.remediate}'`, `MeshTenant = ${quoted(tenant)}`];
  if (rule !== undefined) terms.push(ruleTerm(tenant, rule));
  if (session !== undefined) terms.push(`MeshSession = ${quoted(session)}`);
  if (outcome !== undefined) terms.push(`MeshOutcome = ${quoted(outcome)}`);
  // One that was terminated never came to say how it ended.
  if (outcome === 'running') terms.push(`ExecutionStatus = 'Running'`);
  return terms.join(' AND ');
}
