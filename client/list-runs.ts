import { sha256 } from '#contract/hash.js';
import type { Client } from '@temporalio/client';
import { remediationId } from '#contract/ids.js';
import { WORKFLOW_TYPES } from '#contract/names.js';
import { MeshError } from './errors.js';
import { DEFAULT_PAGE, MAX_PAGE } from './filters.js';
import type { RemediationSummary } from '#contract/views/remediation.js';
import { type RunInfo, summaryFrom } from './run-summary.js';

export interface RunsWanted {
  query: string;
  limit?: number;
  /** `nextPage` of the page before. */
  page?: string;
  /** What the query cannot say. */
  isMeant?(run: RunInfo): boolean;
}

/** A page of runs, each workflow once: of one that was retried, the run that counts is the last. */
export async function listRuns(
  client: Client,
  { query, limit = DEFAULT_PAGE, page, isMeant = () => true }: RunsWanted,
): Promise<{ runs: RunInfo[]; nextPage?: string }> {
  const { executions, nextPageToken } = await client.workflowService.listWorkflowExecutions({
    namespace: client.options.namespace,
    query,
    pageSize: Math.min(Math.max(limit, 1), MAX_PAGE),
    ...(page !== undefined && { nextPageToken: readPageToken(page, query) }),
  });
  const runs = (executions ?? []).filter(isMeant);
  // A lease that follows another need not be about what that one left behind.
  const retriable = runs.filter(({ type }) => type?.name !== WORKFLOW_TYPES.lease);
  const last = await lastRuns(client, retriable.map(summaryFrom));
  return {
    runs: runs.filter((run) => {
      const { id, runId } = summaryFrom(run);
      return (last.get(id) ?? runId) === runId;
    }),
    ...(nextPageToken?.length && { nextPage: writePageToken(nextPageToken, query) }),
  };
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
  return sha256(`${query}\n${written}`).slice(0, CHECK_CHARS);
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

/** The server takes quotes, backslashes and control characters, escaped, and then looks for the escaped text. */
export function isPlain(text: string): boolean {
  return !/['"\\\p{Cc}]/u.test(text);
}

/** For what is plain, and for workflow ids, which hold no other of those characters than single quotes, and only inside. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Rule ids are free text. One that a query cannot name is still in the workflow id, percent-encoded. */
export function ruleTerm(tenant: string, rule: string): string {
  if (isPlain(rule)) return `MeshRule = ${quoted(rule.slice(0, 200))}`;
  return `WorkflowId STARTS_WITH ${quoted(remediationId(tenant, rule, ''))}`;
}
