import { type Client, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { parseLeaseId, parseRemediationId } from '#contract/ids.js';
import type { RestorePoint } from '#contract/lease.js';
import { messageOf } from '#contract/text/words.js';
import { DEFAULT_TENANT, WORKFLOW_TYPES } from '#contract/names.js';
import type { NoticeResult } from '#contract/notice.js';
import type { RemediationResult } from '#contract/remediation.js';
import { isPlain, listRuns, quoted } from './list-runs.js';
import type { DeadFilter } from './filters.js';
import type { DeadPage, DeadRemediation } from '#contract/views/dead.js';
import { type RunInfo, summaryFrom } from './run-summary.js';

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
    dead.push(...(await Promise.all(chunk.map((run) => deadOf(client, run, tenant)))));
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

async function deadOf(client: Client, run: RunInfo, tenant: string): Promise<DeadRemediation> {
  const { id, runId, eventId, startedAt, closedAt, outcome } = summaryFrom(run);
  const isLease = run.type?.name === WORKFLOW_TYPES.lease;
  const kind = parseRemediationId(id) ? 'remediation' : 'notice';
  return {
    ...(isLease ? { kind: 'lease', environment: parseLeaseId(id)?.environment ?? '' } : { kind }),
    ...{ id, runId, tenant, rule: isLease ? '' : ruleOf(run) },
    ...((outcome === 'terminated' || outcome === 'timed-out') && { ended: outcome }),
    ...(eventId !== '' && { eventId }),
    startedAt,
    ...(closedAt !== undefined && { closedAt }),
    ...(await failureOf(client, id, runId)),
  };
}

async function failureOf(
  client: Client,
  id: string,
  runId: string,
): Promise<Pick<DeadRemediation, 'failed' | 'restorePoint'>> {
  try {
    await client.workflow.getHandle(id, runId, { followRuns: false }).result();
    return { failed: [] };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { failed: [{ reason: 'its history is gone' }] };
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { cause } = error;
    const details = (cause instanceof ApplicationFailure ? cause.details?.[0] : undefined) ?? {};
    const { actions, reason, restorePoint } = details as FailureDetails;
    const failed = actions ? failedOf(actions) : reason === undefined ? [] : [{ reason }];
    return {
      // No action gave up: the run as a whole ended badly.
      failed: failed.length > 0 ? failed : [{ reason: messageOf(cause ?? error) }],
      ...(restorePoint && { restorePoint }),
    };
  }
}

/** What a remediation, a message of the mesh itself or a lease says when it closes as failed. */
type FailureDetails = Partial<Pick<RemediationResult, 'actions'>> &
  Pick<Partial<NoticeResult>, 'reason'> & { restorePoint?: RestorePoint };

function failedOf(actions: RemediationResult['actions']): DeadRemediation['failed'] {
  return actions.flatMap(({ action, status, reason = 'failed' }) => (status === 'failed' ? [{ action, reason }] : []));
}
