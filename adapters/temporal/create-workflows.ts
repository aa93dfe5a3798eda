import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Workflows } from './workflows.js';
import { answeredInTime } from './answered-in-time.js';
import { makeStartNotice } from './start-notice.js';
import { makeStartRemediation } from './start-remediation.js';
import { leaseId, slotsId, watchId } from '#contract/ids.js';
import {
  LEASE_SIGNALS,
  QUERIES,
  REMEDIATION_SIGNALS,
  SIGNALS,
  SLOTS_SIGNALS,
  WORKFLOW_TYPES,
} from '#contract/names.js';
import type { SlotsInput } from '#contract/slots.js';
import { summaryOf } from '#contract/text/shorten.js';
import type { LeaseInput } from '#contract/lease.js';
import { searchAttributePairs } from './search-attributes.js';
import { type AlertsQuery, watchStart } from '#contract/watch.js';
import type { RemediationProgress } from '#contract/remediation.js';
import type { OpenAlert } from '#contract/notification.js';

/** For a server that is busy. An attempt has more time than this. */
const ANSWERS_WITHIN_MS = 10_000;

/**
 * Other workflows, over the worker's own connection, so that the server may hand the first task of a new remediation
 * straight to this worker. A server that takes a question and never answers fails it in time.
 */
export function createWorkflows(client: Client, taskQueue: string, answersWithinMs = ANSWERS_WITHIN_MS): Workflows {
  const inTime =
    <Question extends unknown[], Answer>(ask: (...question: Question) => Promise<Answer>) =>
    (...question: Question) =>
      answeredInTime(client, answersWithinMs, () => ask(...question));
  return {
    startRemediation: inTime(makeStartRemediation(client, taskQueue)),
    isStarted: inTime(makeIsStarted(client)),
    startNotice: inTime(makeStartNotice(client, taskQueue)),
    keepLease: inTime(makeKeepLease(client, taskQueue)),
    tellWatchOfAgents: inTime(makeTellWatchOfAgents(client, taskQueue)),
    tellWatchOfAlert: inTime(makeTellWatchOfAlert(client, taskQueue)),
    isAlertOpen: inTime(makeIsAlertOpen(client)),
    tellRemediation: inTime(makeTellRemediation(client)),
    toldBy: inTime(makeToldBy(client)),
    askForSlot: inTime(makeAskForSlot(client, taskQueue)),
    closedAt: inTime(makeClosedAt(client)),
    isCancelRequested: inTime(makeIsCancelRequested(client)),
  };
}

/** Starts the workflow that keeps the slots of the launcher where it is not there: it ends when nobody needs one. */
function makeAskForSlot(client: Client, taskQueue: string): Workflows['askForSlot'] {
  return async (launcher, asked) => {
    const workflowId = slotsId(taskQueue, launcher);
    await client.workflow.signalWithStart(WORKFLOW_TYPES.slots, {
      workflowId,
      taskQueue,
      args: [{ launcher } satisfies SlotsInput],
      signal: SLOTS_SIGNALS.acquire,
      signalArgs: [asked],
      staticSummary: summaryOf(`Keeps the slots of launcher ${launcher}: who runs an agent through it`),
    });
    return workflowId;
  };
}

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

function makeTellRemediation(client: Client): Workflows['tellRemediation'] {
  // It may have ended, for instance because it was aborted: nobody waits for the news any more.
  return (id, news) => unlessGone(client.workflow.getHandle(id).signal(REMEDIATION_SIGNALS.agent, news), undefined);
}

function makeTellWatchOfAgents(client: Client, taskQueue: string): Workflows['tellWatchOfAgents'] {
  return (tenant, agents) => tellWatch(client, taskQueue, tenant, SIGNALS.agents, agents);
}

function makeTellWatchOfAlert(client: Client, taskQueue: string): Workflows['tellWatchOfAlert'] {
  return (tenant, alert) => tellWatch(client, taskQueue, tenant, SIGNALS.alerts, [alert]);
}

/** A watch that has closed because nothing happened is started again, so that what it is told is not lost. */
async function tellWatch(
  client: Client,
  taskQueue: string,
  tenant: string,
  signal: string,
  news: unknown[],
): Promise<void> {
  const { type, workflowId, input, summary, searchAttributes } = watchStart(tenant);
  await client.workflow.signalWithStart(type, {
    workflowId,
    taskQueue,
    args: [input],
    signal,
    signalArgs: [news],
    staticSummary: summary,
    typedSearchAttributes: searchAttributePairs(searchAttributes),
  });
}

function makeToldBy(client: Client): Workflows['toldBy'] {
  return async (id) => {
    const asked = client.workflow.getHandle(id).query<RemediationProgress>(QUERIES.progress);
    const told = (await unlessGone(asked, undefined))?.actions.filter(({ type }) => type === 'notify_team');
    return told?.filter(hasRun).map(({ action }) => action);
  };
}

/** One that is not needed, because of its `onlyIf`, is skipped without an attempt. */
function hasRun(action: RemediationProgress['actions'][number]): boolean {
  if (action.status === 'waiting') return false;
  return !('attempts' in action) || action.attempts > 0;
}

function makeIsAlertOpen(client: Client): Workflows['isAlertOpen'] {
  return async (tenant, alert) => {
    const watch = client.workflow.getHandle(watchId(tenant));
    const asked = watch.query<OpenAlert[], [AlertsQuery]>(QUERIES.alerts, alert);
    return (await unlessGone(asked, [])).length > 0;
  };
}

/** The server knows at once; the workflow itself learns of it from a worker. A server that does not tell says no. */
function makeIsCancelRequested(client: Client): Workflows['isCancelRequested'] {
  return async (id, run) => {
    const { raw } = await client.workflow.getHandle(id, run).describe();
    return raw.workflowExtendedInfo?.cancelRequested === true;
  };
}

function makeIsStarted(client: Client): Workflows['isStarted'] {
  return async (remediation) =>
    (await unlessGone(client.workflow.getHandle(remediation).describe(), undefined)) !== undefined;
}

function makeClosedAt(client: Client): Workflows['closedAt'] {
  return async (id, run) => {
    const found = await unlessGone(client.workflow.getHandle(id, run).describe(), FORGOTTEN);
    return found.closeTime?.getTime();
  };
}

/** It was closed so long ago that the server has forgotten it. */
const FORGOTTEN = { closeTime: new Date(0) };

/** What a workflow answers, or `gone` where it has ended, or ended so long ago that the server has forgotten it. */
async function unlessGone<T, Gone>(asked: Promise<T>, gone: Gone): Promise<T | Gone> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return gone;
    throw error;
  }
}
