import { type Client, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { parseLeaseId, parseRemediationId } from '#contract/ids.js';
import type { LeaseMemo } from '#contract/lease.js';
import { messageOf } from '#contract/text/words.js';
import { DEFAULT_TENANT, LEASE_MEMO, WORKFLOW_TYPES } from '#contract/names.js';
import type { NoticeResult } from '#contract/notice.js';
import type { RemediationResult } from '#contract/remediation.js';
import { listRuns } from './list-runs.js';
import type { DeadFilter, DeadPage, DeadRemediation } from './remediation-views.js';
import { isPlain, quoted } from './run-query.js';
import { type RunInfo, summaryFrom } from './run-summary.js';
import { unlessForgotten } from './unless-forgotten.js';

const READ_AT_ONCE = 10;

type Kind = DeadRemediation['kind'];

const KINDS: readonly Kind[] = ['remediation', 'notice', 'lease'];
const TYPES: Record<Kind, string> = {
  remediation: WORKFLOW_TYPES.remediate,
  notice: WORKFLOW_TYPES.notice,
  lease: WORKFLOW_TYPES.lease,
};

/** What gave up, and why. The server keeps all of it, so no worker is needed. */
export async function listDead(client: Client, filter: DeadFilter): Promise<DeadPage> {
  const { tenant = DEFAULT_TENANT, rule } = filter;
  if (!isPlain(tenant)) return { dead: [] };
  const isMeant = (run: RunInfo) => rule === undefined || ruleOf(run) === rule;
  const { runs, nextPage } = await listRuns(client, { ...filter, query: queryOf(tenant, filter), isMeant });
  const dead: DeadRemediation[] = [];
  for (let from = 0; from < runs.length; from += READ_AT_ONCE) {
    const chunk = runs.slice(from, from + READ_AT_ONCE);
    dead.push(...(await Promise.all(chunk.map((run) => deadOf(client, run, tenant)))).flat());
  }
  return { dead, ...(nextPage !== undefined && { nextPage }) };
}

/** A cancelled run has not given up. One that was terminated, by the server or by hand, has left its work undone. */
function queryOf(tenant: string, { rule, kinds = KINDS, closedSinceAt }: DeadFilter): string {
  // A lease is of no one rule.
  const types = kinds.filter((kind) => rule === undefined || kind !== 'lease').map((kind) => TYPES[kind]);
  return [
    `WorkflowType IN (${types.map(quoted).join(', ')})`,
    `MeshTenant = ${quoted(tenant)}`,
    `ExecutionStatus IN ('Failed', 'TimedOut', 'Terminated')`,
    ...(closedSinceAt === undefined ? [] : [`CloseTime > ${quoted(new Date(closedSinceAt).toISOString())}`]),
    // A query cannot name every rule id. Such a rule is looked for among the runs of all rules.
    ...(rule !== undefined && isPlain(rule) ? [`MeshRule = ${quoted(rule.slice(0, MAX_RULE_CHARS))}`] : []),
  ].join(' AND ');
}

/** Search attributes hold no more of a rule id than this. */
const MAX_RULE_CHARS = 200;

/** Ids of remediations and notices have the rule in the same place. */
function ruleOf(run: RunInfo): string {
  const id = run.execution?.workflowId ?? '';
  const [, , segment = ''] = id.split('/');
  return decodeURIComponent(segment);
}

async function deadOf(client: Client, run: RunInfo, tenant: string): Promise<DeadRemediation[]> {
  const { id, runId, eventId, startedAt, closedAt, outcome } = summaryFrom(run);
  const isLease = run.type?.name === WORKFLOW_TYPES.lease;
  const leftBehind = isLease ? await leftBehindBy(client, id, runId) : undefined;
  if (isLease && !leftBehind) return [];
  const kind = parseRemediationId(id) ? 'remediation' : 'notice';
  return [
    {
      ...(isLease ? { kind: 'lease', environment: parseLeaseId(id)?.environment ?? '', ...leftBehind } : { kind }),
      ...{ id, runId, tenant, rule: isLease ? '' : ruleOf(run) },
      ...((outcome === 'terminated' || outcome === 'timed-out') && { ended: outcome }),
      ...(eventId !== '' && { eventId }),
      startedAt,
      ...(closedAt !== undefined && { closedAt }),
      failed: await failedIn(client, id, runId),
    },
  ];
}

/** Undefined when a later lease has taken over: then it is up to that one what becomes of the capacity. */
async function leftBehindBy(
  client: Client,
  id: string,
  runId: string,
): Promise<Pick<DeadRemediation, 'restorePoint' | 'isInheritable'> | undefined> {
  const last = await unlessForgotten(client.workflow.getHandle(id).describe());
  if (!last) return {};
  const isInheritable = last.runId === runId;
  if (!isInheritable && !memoOf(last)?.unresolvedRuns.includes(runId)) return undefined;
  const run = isInheritable ? last : await unlessForgotten(client.workflow.getHandle(id, runId).describe());
  const restorePoint = run && memoOf(run)?.restorePoint;
  return restorePoint ? { restorePoint, ...(isInheritable && { isInheritable }) } : {};
}

function memoOf({ memo }: { memo?: Record<string, unknown> | undefined }): LeaseMemo | undefined {
  return memo?.[LEASE_MEMO] as LeaseMemo | undefined;
}

async function failedIn(client: Client, id: string, runId: string): Promise<DeadRemediation['failed']> {
  try {
    await client.workflow.getHandle(id, runId, { followRuns: false }).result();
    return [];
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return [{ reason: 'its history is gone' }];
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { cause } = error;
    const failed = cause instanceof ApplicationFailure ? failedOf(cause.details?.[0]) : [];
    // No action gave up: the run as a whole ended badly.
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
