import {
  type Client,
  isGrpcDeadlineError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { CancelledFailure, TimeoutFailure } from '@temporalio/common';
import { messageOf } from '../../../../contract/message-of.js';
import { summaryOf } from '../../../../contract/summary.js';
import { permanentRefusal } from '../../../adapters/workflows/permanent-refusal.js';
import type { AgentWorkflow, AgentWorkflowEnd, AgentWorkflows, AgentWorkflowStart } from '../agent-workflows.js';

/** A question to the server must end some time: the connection of a worker cannot take one back. */
const ASK_FOR_MS = 5_000;

export function createAgentWorkflows(client: Client): AgentWorkflows {
  return {
    start: (agent) => start(client, agent),
    result: (id, signal) => Promise.race([result(client, id, signal), aborted(signal)]),
    async cancel(id) {
      await client.workflow
        .getHandle(id)
        .cancel()
        .catch((error: unknown) => {
          // It has ended, which is what was asked for.
          if (!(error instanceof WorkflowNotFoundError)) throw error;
        });
    },
  };
}

async function start(
  client: Client,
  { id, workflowType, taskQueue, request, summary, mayRunAgain }: AgentWorkflow,
): Promise<AgentWorkflowStart> {
  try {
    await client.workflow.start(workflowType, {
      workflowId: id,
      taskQueue,
      args: [request],
      workflowIdReusePolicy: mayRunAgain ? 'ALLOW_DUPLICATE_FAILED_ONLY' : 'REJECT_DUPLICATE',
      staticSummary: summaryOf(summary),
    });
    return { state: 'started' };
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return { state: 'there-already' };
    const reason = permanentRefusal(error);
    if (reason === undefined) throw error;
    return { state: 'refused', reason };
  }
}

async function result(client: Client, id: string, signal: AbortSignal): Promise<AgentWorkflowEnd | undefined> {
  while (!signal.aborted) {
    try {
      const ask = () => client.workflow.getHandle(id).result() as Promise<unknown>;
      return { ended: 'completed', result: await client.withDeadline(Date.now() + ASK_FOR_MS, ask) };
    } catch (error) {
      if (error instanceof WorkflowFailedError) return endOf(error);
      if (!isDeadline(error)) throw error;
    }
  }
  return undefined;
}

function endOf({ cause, message }: WorkflowFailedError): AgentWorkflowEnd {
  const reason = cause === undefined ? message : messageOf(cause);
  if (cause instanceof CancelledFailure) return { ended: 'cancelled', reason };
  return { ended: cause instanceof TimeoutFailure ? 'timeout' : 'failed', reason };
}

function isDeadline(error: unknown): boolean {
  return isGrpcDeadlineError(error instanceof ServiceError ? error.cause : error);
}

async function aborted(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  return undefined;
}
