import { type Client, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { parseRemediationId } from '../contract/ids.js';
import { messageOf } from '../contract/message-of.js';
import { DEFAULT_TENANT, WORKFLOW_TYPES } from '../contract/names.js';
import type { NoticeResult } from '../contract/notice.js';
import type { RemediationResult } from '../contract/remediation.js';
import { listRuns } from './list-runs.js';
import type { DeadFilter, DeadPage, DeadRemediation } from './remediation-views.js';
import { isPlain, quoted } from './run-query.js';
import { type RunInfo, summaryFrom } from './run-summary.js';

const READ_AT_ONCE = 10;

/** What gave up, and why. All of it is in what the server keeps, so no worker is needed. */
export async function listDead(client: Client, filter: DeadFilter): Promise<DeadPage> {
  const { tenant = DEFAULT_TENANT, rule } = filter;
  if (!isPlain(tenant)) return { dead: [] };
  const isMeant = (run: RunInfo) => rule === undefined || ruleOf(run) === rule;
  const { runs, nextPage } = await listRuns(client, { ...filter, query: queryOf(tenant, rule), isMeant });
  const dead: DeadRemediation[] = [];
  for (let from = 0; from < runs.length; from += READ_AT_ONCE) {
    const chunk = runs.slice(from, from + READ_AT_ONCE);
    dead.push(...(await Promise.all(chunk.map((run) => deadOf(client, run, tenant)))).flat());
  }
  return { dead, ...(nextPage !== undefined && { nextPage }) };
}

/**
 * Whoever was cancelled has not given up. What was terminated, by the server or by hand, left its work undone without a word.
 */
function queryOf(tenant: string, rule: string | undefined): string {
  const { remediate, notice, lease } = WORKFLOW_TYPES;
  const types = rule === undefined ? [remediate, notice, lease] : [remediate, notice];
  return [
    `WorkflowType IN (${types.map(quoted).join(', ')})`,
    `MeshTenant = ${quoted(tenant)}`,
    `ExecutionStatus IN ('Failed', 'TimedOut', 'Terminated')`,
    // A rule whose id no query can name is found among all the others.
    ...(rule !== undefined && isPlain(rule) ? [`MeshRule = ${quoted(rule.slice(0, MAX_RULE_CHARS))}`] : []),
  ].join(' AND ');
}

/** As much of it as search attributes hold. */
const MAX_RULE_CHARS = 200;

/** The id of a remediation has the rule in the same place as that of a notice; that of a lease has the environment there. */
function ruleOf(run: RunInfo): string {
  const id = run.execution?.workflowId ?? '';
  const [, , segment = ''] = id.split('/');
  return decodeURIComponent(segment);
}

async function deadOf(client: Client, run: RunInfo, tenant: string): Promise<DeadRemediation[]> {
  const { id, runId, eventId, startedAt, closedAt, outcome } = summaryFrom(run);
  const isLease = run.type?.name === WORKFLOW_TYPES.lease;
  // A lease on the same environment has begun since: what becomes of the capacity is up to that one.
  if (isLease && !(await isLast(client, id, runId))) return [];
  const kind = parseRemediationId(id) ? 'remediation' : 'notice';
  return [
    {
      ...(isLease ? { kind: 'lease', environment: ruleOf(run) } : { kind }),
      ...{ id, runId, tenant, rule: isLease ? '' : ruleOf(run) },
      ...((outcome === 'terminated' || outcome === 'timed-out') && { ended: outcome }),
      ...(eventId !== '' && { eventId }),
      startedAt,
      ...(closedAt !== undefined && { closedAt }),
      failed: await failedIn(client, id, runId),
    },
  ];
}

async function isLast(client: Client, id: string, runId: string): Promise<boolean> {
  return (await client.workflow.getHandle(id).describe()).runId === runId;
}

async function failedIn(client: Client, id: string, runId: string): Promise<DeadRemediation['failed']> {
  try {
    await client.workflow.getHandle(id, runId, { followRuns: false }).result();
    return [];
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { cause } = error;
    const failed = cause instanceof ApplicationFailure ? failedOf(cause.details?.[0]) : [];
    // It ended in another way than by an action that gave up.
    return failed.length > 0 ? failed : [{ reason: messageOf(cause ?? error) }];
  }
}

function failedOf(result: unknown): DeadRemediation['failed'] {
  const { actions, reason } = (result ?? {}) as Partial<RemediationResult> & Pick<Partial<NoticeResult>, 'reason'>;
  if (actions === undefined) return reason === undefined ? [] : [{ reason }];
  return actions.flatMap(({ action, status, reason: why = 'failed' }) =>
    status === 'failed' ? [{ action, reason: why }] : [],
  );
}
