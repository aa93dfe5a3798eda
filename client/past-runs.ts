import { ApplicationFailure, defineSearchAttributeKey } from '@temporalio/common';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js';
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  WorkflowFailedError,
} from '@temporalio/client';
import { QUERIES, SEARCH_ATTRIBUTES } from '#contract/names.js';
import { MeshError } from './errors.js';

/** The first thing in its history is what it was started with. */
export async function inputOf<Input>(
  client: Client,
  { workflowId, runId }: WorkflowExecutionDescription,
): Promise<Input> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 1,
  });
  const payloads = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads;
  if (!payloads?.length) throw new Error(`the history of ${workflowId} does not begin with its input`);
  return decodeFromPayloadsAtIndex<Input>(client.options.loadedDataConverter, 0, payloads);
}

const PROGRESS_WITHIN_MS = 3_000;

/** The result of a run when it has one; else what a worker can tell. */
export async function progressOf<Progress>(
  client: Client,
  { workflowId, runId, status }: WorkflowExecutionDescription,
): Promise<Progress | undefined> {
  const run = client.workflow.getHandle(workflowId, runId);
  if (status.name === 'COMPLETED') return (await run.result()) as Progress;
  if (status.name === 'FAILED') return run.result().then(() => undefined, resultInFailure<Progress>);
  try {
    return await client.withDeadline(Date.now() + PROGRESS_WITHIN_MS, () => run.query<Progress>(QUERIES.progress));
  } catch {
    // No worker: everything else about it is still worth showing.
    return undefined;
  }
}

function resultInFailure<Result>(error: unknown): Result | undefined {
  if (!(error instanceof WorkflowFailedError)) throw error;
  const { cause } = error;
  return cause instanceof ApplicationFailure ? (cause.details?.[0] as Result | undefined) : undefined;
}

/**
 * Under the same id, so that the ids of its effects stay the same, and nobody else can start it meanwhile. What is to be done
 * follows from `before`, so it is refused when there was another run since, even one that has ended already.
 */
export async function startAgain(
  client: Client,
  before: WorkflowExecutionDescription,
  input: unknown,
): Promise<string> {
  const last = await client.workflow.getHandle(before.workflowId).describe();
  if (last.runId !== before.runId) throw new MeshError('conflict', `${before.workflowId} was retried meanwhile`);
  try {
    const [staticSummary, staticDetails] = await Promise.all([before.staticSummary(), before.staticDetails()]);
    const started = await client.workflow.start(before.type, {
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
    throw new MeshError('conflict', `${before.workflowId} was retried meanwhile`, { cause: error });
  }
}
