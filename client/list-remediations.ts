import { createHash } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { parseRemediationId, remediationId } from '../contract/ids.js';
import { DEFAULT_TENANT, type SearchAttributeName, WORKFLOW_TYPES } from '../contract/names.js';
import { MeshError } from './errors.js';
import {
  DEFAULT_PAGE,
  MAX_PAGE,
  type RemediationFilter,
  type RemediationPage,
  type RemediationSummary,
} from './remediation-views.js';

/** Lists remediations, each once: of one that was retried, the run that counts is the last. */
export async function listRemediations(client: Client, filter: RemediationFilter): Promise<RemediationPage> {
  const { tenant = DEFAULT_TENANT, rule, session, limit = DEFAULT_PAGE, page } = filter;
  // Neither is ever stored with such a character in it, and no query could ask for it.
  if (!isPlain(tenant) || (session !== undefined && !isPlain(session))) return { remediations: [] };
  const query = queryOf({ ...filter, tenant });
  const { executions, nextPageToken } = await client.workflowService.listWorkflowExecutions({
    namespace: client.options.namespace,
    query,
    pageSize: Math.min(Math.max(limit, 1), MAX_PAGE),
    ...(page !== undefined && { nextPageToken: readPageToken(page, query) }),
  });
  const runs = (executions ?? []).map(summaryFrom).filter((one) => rule === undefined || one.rule === rule);
  const last = await lastRuns(client, runs);
  return {
    remediations: runs.filter(({ id, runId }) => (last.get(id) ?? runId) === runId),
    ...(nextPageToken?.length && { nextPage: writePageToken(nextPageToken, query) }),
  };
}

type ExecutionInfo = Awaited<ReturnType<Client['workflowService']['listWorkflowExecutions']>>['executions'][number];

/** What lists show, from what the server keeps in clear about a workflow. */
export function summaryFrom(info: ExecutionInfo | null | undefined): RemediationSummary {
  const id = info?.execution?.workflowId ?? '';
  const { tenant = '', rule = '', eventId = '' } = parseRemediationId(id) ?? {};
  const found = {
    event: attribute<string>(info, 'MeshEvent'),
    tool: attribute<string>(info, 'MeshTool'),
    session: attribute<string>(info, 'MeshSession'),
    source: attribute<string>(info, 'MeshSource'),
    depth: attribute<number>(info, 'MeshDepth'),
    closedAt: info?.closeTime ? millisecondsOf(info.closeTime) : undefined,
  };
  return {
    id,
    runId: info?.execution?.runId ?? '',
    tenant,
    rule,
    eventId,
    outcome: outcomeOf(info),
    startedAt: millisecondsOf(info?.startTime),
    ...Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)),
  };
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

/** Rule ids are free text. One that a query cannot name is still in the workflow id, percent-encoded. */
function ruleTerm(tenant: string, rule: string): string {
  if (isPlain(rule)) return `MeshRule = ${quoted(rule.slice(0, 200))}`;
  return `WorkflowId STARTS_WITH ${quoted(remediationId(tenant, rule, ''))}`;
}

/** The server takes quotes, backslashes and control characters, escaped, and then looks for the escaped text. */
function isPlain(text: string): boolean {
  return !/['"\\\p{Cc}]/u.test(text);
}

/** For what is plain, and for workflow ids, which hold no other of those characters than single quotes, and only inside. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * The server's own token with a check: what is not a token, or belongs to another list, the server takes for a trouble of
 * its own, and is asked again and again.
 */
function writePageToken(token: Uint8Array, query: string): string {
  const written = Buffer.from(token).toString('base64url');
  return written + checkOf(written, query);
}

function readPageToken(page: string, query: string): Uint8Array {
  const written = page.slice(0, -CHECK_CHARS);
  if (written !== '' && page === written + checkOf(written, query)) return Buffer.from(written, 'base64url');
  throw new MeshError('not-found', 'there is no such page: give the nextPage of the page before, and the same filter');
}

const CHECK_CHARS = 8;

function checkOf(written: string, query: string): string {
  return createHash('sha256').update(`${query}\n${written}`).digest('hex').slice(0, CHECK_CHARS);
}

/** Of every remediation that may have been retried, the run that began last. */
async function lastRuns(client: Client, runs: RemediationSummary[]): Promise<Map<string, string>> {
  const ended = [...new Set(runs.filter(({ outcome }) => RETRIABLE.has(outcome)).map(({ id }) => id))];
  const last = new Map<string, { runId: string; startedAt: number }>();
  for (let from = 0; from < ended.length; from += IDS_PER_QUERY) {
    const ids = ended.slice(from, from + IDS_PER_QUERY).map(quoted);
    const { executions } = await client.workflowService.listWorkflowExecutions({
      namespace: client.options.namespace,
      query: `WorkflowId IN (${ids.join(', ')})`,
      pageSize: 1_000,
    });
    for (const { id, runId, startedAt } of (executions ?? []).map(summaryFrom)) {
      if (startedAt > (last.get(id)?.startedAt ?? -1)) last.set(id, { runId, startedAt });
    }
  }
  return new Map([...last].map(([id, { runId }]) => [id, runId]));
}

const RETRIABLE = new Set<RemediationSummary['outcome']>(['failed', 'aborted', 'terminated', 'timed-out']);
const IDS_PER_QUERY = 50;

function attribute<T>(info: ExecutionInfo | null | undefined, name: SearchAttributeName): T | undefined {
  const payload = info?.searchAttributes?.indexedFields?.[name];
  return payload ? defaultPayloadConverter.fromPayload<T>(payload) : undefined;
}

const TERMINATED = 5;
const TIMED_OUT = 7;

function outcomeOf(info: ExecutionInfo | null | undefined): RemediationSummary['outcome'] {
  const status = Number(info?.status);
  if (status === TERMINATED) return 'terminated';
  if (status === TIMED_OUT) return 'timed-out';
  return attribute(info, 'MeshOutcome') ?? 'running';
}

function millisecondsOf(time: { seconds?: unknown; nanos?: number | null } | null | undefined): number {
  return Number(time?.seconds ?? 0) * 1_000 + Math.floor((time?.nanos ?? 0) / 1_000_000);
}
