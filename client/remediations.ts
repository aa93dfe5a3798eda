import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { isNoticeId, parseRemediationId } from '#contract/ids.js';
import type { RemediationInput, RemediationProgress } from '#contract/remediation.js';
import { storyOf } from '#contract/story.js';
import { MeshError } from './errors.js';
import { listDead } from './list-dead.js';
import { listLeases } from './list-leases.js';
import { inputOf, progressOf, startAgain } from './past-runs.js';
import { deliveredIn, planRetry } from './plan-retry.js';
import type { DeadFilter, RemediationFilter } from './filters.js';
import type { DeadPage } from '#contract/views/dead.js';
import type { LeasePage } from '#contract/views/lease.js';
import type { RemediationDetail, RemediationPage, Retried } from '#contract/views/remediation.js';
import type { AgentAtWork } from '#contract/views/actions.js';
import { retriedActivities } from './retried-activities.js';
import { millisecondsOf, summaryFrom } from './run-summary.js';
import { explainCall } from './temporal-errors.js';
import { DEFAULT_TENANT, WORKFLOW_TYPES } from '#contract/names.js';
import { isPlain, listRuns, quoted, ruleTerm } from './list-runs.js';
import type { NoticeInput, NoticeResult } from '#contract/notice.js';
import type { ActionPlan } from '#contract/actions/index.js';
import type { ActionActivities } from '#contract/activities.js';

export interface Remediations {
  list(filter: RemediationFilter): Promise<RemediationPage>;
  dead(filter: DeadFilter): Promise<DeadPage>;
  leases(tenant: string): Promise<LeasePage>;
  get(id: string): Promise<RemediationDetail>;
  abort(id: string): Promise<void>;
  retry(id: string): Promise<Retried>;
}

/** What people do with remediations, each of which is a workflow. */
export function createRemediations(client: Client): Remediations {
  const handle = (id: string) => client.workflow.getHandle(id);

  return {
    list: (filter) => listRemediations(client, filter),
    dead: (filter) => listDead(client, filter),
    leases: (tenant) => listLeases(client, tenant),

    async get(id) {
      const description = await describe(id);
      const [input, progress] = await readRun(description);
      const retrying = await retriedActivities(client, description, input.actions);
      const atWork = agentAtWork(description, input.actions, progress);
      const summary = summaryFrom(description.raw.workflowExecutionInfo);
      const { outcome } = summary;
      const more = {
        ...(isAborting(description) && { isAborting: true as const }),
        ...(retrying.length > 0 && { retrying }),
        ...(atWork && { agentAtWork: atWork }),
      };
      return {
        ...summary,
        story: storyOf({ remediation: input, actions: progress?.actions, outcome, ...more }),
        ...(progress && { progress }),
        ...more,
        reported: input.event,
        actions: input.actions,
        rulesetHash: input.rulesetHash,
        ...(input.isTry && { isTry: input.isTry }),
      };
    },

    async abort(id) {
      const { status, raw } = await describe(id);
      if (status.name !== 'RUNNING') {
        throw conflict(`${id} has ended already (${summaryFrom(raw.workflowExecutionInfo).outcome})`);
      }
      try {
        await handle(id).cancel();
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        throw new MeshError('conflict', `${id} has ended meanwhile`, { cause: error });
      }
    },

    async retry(id) {
      if (isNoticeId(id)) return retryNotice(client, id);
      const description = await describe(id);
      if (description.status.name === 'RUNNING') throw conflict(`${id} is still running`);
      const [input, progress] = await readRun(description);
      if (!progress)
        throw conflict(`what ${id} has done is not known: it did not end by itself, and no worker can tell`);
      const { earlier, again } = planRetry(input.actions, progress, input.earlier);
      if (again.length === 0) throw conflict(`no action of ${id} has failed`);
      return { runId: await startAgain(client, description, { ...input, earlier }), actions: again };
    },
  };

  async function describe(id: string): Promise<WorkflowExecutionDescription> {
    if (!parseRemediationId(id)) throw notFound(id);
    try {
      return await handle(id).describe();
    } catch (error) {
      throw explainCall(error, notFound(id).message);
    }
  }

  function readRun(description: WorkflowExecutionDescription) {
    return Promise.all([
      inputOf<RemediationInput>(client, description),
      progressOf<RemediationProgress>(client, description),
    ]);
  }
}

function isAborting({ status, raw }: WorkflowExecutionDescription): boolean {
  return status.name === 'RUNNING' && raw.workflowExtendedInfo?.cancelRequested === true;
}

function notFound(id: string): MeshError {
  return new MeshError('not-found', `there is no remediation ${id}`);
}

function conflict(message: string): MeshError {
  return new MeshError('conflict', message);
}

/** Lists remediations, each once: of one that was retried, the run that counts is the last. */
async function listRemediations(client: Client, filter: RemediationFilter): Promise<RemediationPage> {
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

/** Has a message of the mesh itself delivered to those who have not got it, under the same effect keys. */
async function retryNotice(client: Client, id: string): Promise<Retried> {
  const description = await describeNotice(client, id);
  if (description.status.name === 'RUNNING') throw conflict(`${id} is still being delivered`);
  const [input, progress] = await Promise.all([
    inputOf<NoticeInput>(client, description),
    progressOf<Partial<NoticeResult>>(client, description),
  ]);
  if (!progress) throw conflict(`who has got ${id} is not known: it did not end by itself, and no worker can tell`);
  const { outcome, deliveries = [] } = progress;
  const isWritten = deliveries.some(({ status }) => status === 'written');
  if (outcome === 'executed' && !isWritten) throw conflict(`everyone has got ${id}`);
  if (outcome === 'skipped')
    throw conflict(`nobody was to be told of ${id}${progress.reason ? `: ${progress.reason}` : ''}`);

  const delivered = deliveredIn([...(input.delivered ?? []), ...deliveries]);
  const missed = deliveries.filter(({ status }) => status !== 'delivered').map(({ delivery }) => delivery);
  // Of one that did not end by itself, or that could not even be written, nobody knows for whom it was.
  const actions = outcome !== undefined && missed.length > 0 ? missed : [input.kind];
  return { runId: await startAgain(client, description, { ...input, delivered }), actions };
}

async function describeNotice(client: Client, id: string): Promise<WorkflowExecutionDescription> {
  try {
    return await client.workflow.getHandle(id).describe();
  } catch (error) {
    throw explainCall(error, `there is no message ${id}`);
  }
}

/**
 * Since when a worker has been with the agent of an action, and how long it stays. The server does not tell which action an
 * activity is part of without its history, which would be read again with every look: of several agents at once this says nothing.
 */
export function agentAtWork(
  { raw }: Pick<WorkflowExecutionDescription, 'raw'>,
  actions: readonly ActionPlan[],
  progress: RemediationProgress | undefined,
): AgentAtWork | undefined {
  const running = (progress?.actions ?? []).filter(({ type, status }) => type === SPAWN && status === 'running');
  const attempts = (raw.pendingActivities ?? []).filter(
    ({ activityType, state }) => activityType?.name === ACTIVITY && Number(state) === STARTED,
  );
  const [[state, ...otherStates], [attempt, ...otherAttempts]] = [running, attempts];
  const plan = actions.find(({ name }) => name === state?.action);
  if (!plan || !attempt?.lastStartedTime || otherStates.length > 0 || otherAttempts.length > 0) return undefined;
  const sinceAt = millisecondsOf(attempt.lastStartedTime);
  return { action: plan.name, sinceAt, untilAt: sinceAt + plan.timeoutMs };
}

const SPAWN: ActionPlan['type'] = 'spawn_fallback_agent';
const ACTIVITY: keyof ActionActivities = 'spawnFallbackAgent';
const STARTED = 2;
