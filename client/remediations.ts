import { ApplicationFailure, defineSearchAttributeKey, defaultPayloadConverter } from '@temporalio/common';
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { parseRemediationId } from '../contract/ids.js';
import { QUERIES, SEARCH_ATTRIBUTES, WORKFLOW_TYPES } from '../contract/names.js';
import type { RemediationInput, RemediationProgress, RemediationResult } from '../contract/remediation.js';
import { MeshError } from './errors.js';
import { listDead } from './list-dead.js';
import { listRemediations } from './list-remediations.js';
import { planRetry } from './plan-retry.js';
import type {
  DeadFilter,
  DeadPage,
  RemediationDetail,
  RemediationFilter,
  RemediationPage,
  Retried,
} from './remediation-views.js';
import { summaryFrom } from './run-summary.js';
import { explainCall } from './temporal-errors.js';

export interface Remediations {
  list(filter: RemediationFilter): Promise<RemediationPage>;
  dead(filter: DeadFilter): Promise<DeadPage>;
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

    async get(id) {
      const description = await describe(id);
      const [input, progress] = await Promise.all([inputOf(description), progressOf(description)]);
      return {
        ...summaryFrom(description.raw.workflowExecutionInfo),
        ...(progress && { progress }),
        reported: input.event,
        actions: input.actions,
        rulesetHash: input.rulesetHash,
        ...(input.isTry && { isTry: input.isTry }),
      };
    },

    async abort(id) {
      const { status } = await describe(id);
      if (status.name !== 'RUNNING') throw conflict(`${id} has ended already (${status.name.toLowerCase()})`);
      try {
        await handle(id).cancel();
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        throw new MeshError('conflict', `${id} has ended meanwhile`, { cause: error });
      }
    },

    async retry(id) {
      const description = await describe(id);
      if (description.status.name === 'RUNNING') throw conflict(`${id} is still running`);
      const [input, progress] = await Promise.all([inputOf(description), progressOf(description)]);
      if (!progress)
        throw conflict(`what ${id} has done is not known: it did not end by itself, and no worker can tell`);
      const { earlier, again } = planRetry(input.actions, progress, input.earlier);
      if (again.length === 0) throw conflict(`no action of ${id} has failed`);
      return { runId: await startAgain(description, { ...input, earlier }), actions: again };
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

  /** The first thing in its history is what it was started with. */
  async function inputOf({ workflowId, runId }: WorkflowExecutionDescription): Promise<RemediationInput> {
    const { history } = await client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId, runId },
      maximumPageSize: 1,
    });
    const payload = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
    if (!payload) throw new Error(`the history of ${workflowId} does not begin with its input`);
    return defaultPayloadConverter.fromPayload<RemediationInput>(payload);
  }

  /** The result when it has one; else what a worker can tell. */
  async function progressOf(description: WorkflowExecutionDescription): Promise<RemediationProgress | undefined> {
    const run = client.workflow.getHandle(description.workflowId, description.runId);
    if (description.status.name === 'COMPLETED') return (await run.result()) as RemediationResult;
    if (description.status.name === 'FAILED') return run.result().then(() => undefined, resultInFailure);
    try {
      return await client.withDeadline(Date.now() + PROGRESS_WITHIN_MS, () =>
        run.query<RemediationProgress>(QUERIES.progress),
      );
    } catch {
      // No worker: everything else about it is still worth showing.
      return undefined;
    }
  }

  /** Under the same id, so that the ids of its effects stay the same, and nobody else can start it meanwhile. */
  async function startAgain(before: WorkflowExecutionDescription, input: RemediationInput): Promise<string> {
    try {
      const [staticSummary, staticDetails] = await Promise.all([before.staticSummary(), before.staticDetails()]);
      const started = await client.workflow.start(WORKFLOW_TYPES.remediate, {
        workflowId: before.workflowId,
        taskQueue: before.taskQueue,
        args: [input],
        // Nothing protects a run that ended well, such as an aborted one, from two retries at the same moment.
        workflowIdReusePolicy: before.status.name === 'COMPLETED' ? 'ALLOW_DUPLICATE' : 'ALLOW_DUPLICATE_FAILED_ONLY',
        workflowIdConflictPolicy: 'FAIL',
        ...(staticSummary !== undefined && { staticSummary }),
        ...(staticDetails !== undefined && { staticDetails }),
        typedSearchAttributes: before.typedSearchAttributes.updateCopy([
          { key: defineSearchAttributeKey('MeshOutcome', SEARCH_ATTRIBUTES.MeshOutcome), value: 'running' },
        ]),
      });
      return started.firstExecutionRunId;
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      throw new MeshError('conflict', `${before.workflowId} is being retried already`, { cause: error });
    }
  }
}

const PROGRESS_WITHIN_MS = 3_000;

function resultInFailure(error: unknown): RemediationResult | undefined {
  if (!(error instanceof WorkflowFailedError)) throw error;
  const { cause } = error;
  return cause instanceof ApplicationFailure ? (cause.details?.[0] as RemediationResult | undefined) : undefined;
}

function notFound(id: string): MeshError {
  return new MeshError('not-found', `there is no remediation ${id}`);
}

function conflict(message: string): MeshError {
  return new MeshError('conflict', message);
}
