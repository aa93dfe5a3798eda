import type { AgentRequest } from '#contract/agent-request.js';
import {
  type Client,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionStatusName,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { CancelledFailure, TimeoutFailure } from '@temporalio/common';
import { messageOf } from '#contract/text/words.js';
import { summaryOf } from '#contract/text/shorten.js';
import { permanentRefusal } from './permanent-refusal.js';
import { answeredInTime, NoAnswerError } from './answered-in-time.js';

/** Agents that are workflows of somebody else, on the Temporal server that the mesh runs on. */
export interface AgentWorkflows {
  start(agent: AgentWorkflow): Promise<AgentWorkflowStart>;
  /** Its end, or nothing when the signal is aborted first. */
  result(id: string, signal: AbortSignal): Promise<AgentWorkflowEnd | undefined>;
  /** Asks it to end, and waits a while for that: its end, or nothing when it goes on. */
  cancel(id: string): Promise<AgentWorkflowEnd | undefined>;
}

export interface AgentWorkflow {
  id: string;
  workflowType: string;
  taskQueue: string;
  request: AgentRequest;
  /** One line, for lists in the Temporal UI. */
  summary: string;
}

/** `refused`: by the server, for good. */
export type AgentWorkflowStart = { state: 'started' | 'there-already' } | { state: 'refused'; reason: string };

/** `unreadable`: why the mesh cannot tell what its result is. */
export type AgentWorkflowEnd =
  | { ended: 'completed'; result: unknown; unreadable?: string }
  | { ended: 'failed' | 'cancelled' | 'timeout'; reason: string };

export interface Patience {
  /** A question to the server must end some time: the connection of a worker cannot take one back. */
  answersWithinMs: number;
  /** The same for the question how one has ended, which the server answers when it has. It is asked again then. */
  askForMs: number;
  /**
   * For what a workflow does when it is cancelled. With what is asked after it, less than the server waits for an attempt that
   * is over its time.
   */
  endsWithinMs: number;
}

const PATIENCE: Patience = { answersWithinMs: 5_000, askForMs: 5_000, endsWithinMs: 8_000 };

export function createAgentWorkflows(client: Client, patience: Patience = PATIENCE): AgentWorkflows {
  const { answersWithinMs, askForMs, endsWithinMs } = patience;
  const inTime = <T>(ask: () => Promise<T>) => answeredInTime(client, answersWithinMs, ask);
  const resultOf: AgentWorkflows['result'] = (id, signal) =>
    Promise.race([result(client, id, { signal, askForMs }), aborted(signal)]);
  return {
    start: (agent) => inTime(() => start(client, agent)),
    result: resultOf,
    async cancel(id) {
      const workflow = client.workflow.getHandle(id);
      const isOver = AbortSignal.timeout(endsWithinMs);
      try {
        await inTime(() => workflow.cancel());
        return (await resultOf(id, isOver)) ?? (await inTime(() => endUntouched(client, id)));
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        return inTime(() => endBefore(client, id));
      }
    },
  };
}

/** Its end came before what was asked of it. */
async function endBefore(client: Client, id: string): Promise<AgentWorkflowEnd> {
  try {
    return await ask(client, id);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { ended: 'cancelled', reason: error.message };
    throw error;
  }
}

/** Nobody is there to hear of the cancellation then, and nothing is begun that it could put in order. */
async function endUntouched(client: Client, id: string): Promise<AgentWorkflowEnd | undefined> {
  if (!(await isUntouched(client, id))) return undefined;
  await client.workflow.getHandle(id).terminate('the mesh cancelled it before any worker had taken it up');
  return { ended: 'cancelled', reason: 'no worker had taken it up' };
}

/** No worker has ever taken a task of it. Any that has is in the first events, unless very many signals came before. */
async function isUntouched(client: Client, workflowId: string): Promise<boolean> {
  const { namespace } = client.options;
  const { history, nextPageToken } = await client.workflow.workflowService.getWorkflowExecutionHistory({
    namespace,
    execution: { workflowId },
    maximumPageSize: 100,
  });
  const isTaken = (history?.events ?? []).some((event) => event.workflowTaskStartedEventAttributes);
  return !isTaken && !nextPageToken?.length;
}

async function start(
  client: Client,
  { id, workflowType, taskQueue, request, summary }: AgentWorkflow,
): Promise<AgentWorkflowStart> {
  try {
    await client.workflow.start(workflowType, {
      workflowId: id,
      taskQueue,
      args: [request],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
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

interface Question {
  signal: AbortSignal;
  askForMs: number;
}

async function result(
  client: Client,
  id: string,
  { signal, askForMs }: Question,
): Promise<AgentWorkflowEnd | undefined> {
  while (!signal.aborted) {
    try {
      return await answeredInTime(client, askForMs, () => ask(client, id));
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
    }
  }
  return undefined;
}

async function ask(client: Client, id: string): Promise<AgentWorkflowEnd> {
  const workflow = client.workflow.getHandle(id);
  try {
    return { ended: 'completed', result: (await workflow.result()) as unknown };
  } catch (error) {
    if (error instanceof WorkflowFailedError) return endOf(error);
    if (error instanceof ServiceError || error instanceof WorkflowNotFoundError) throw error;
    // It was answered, but in a form that the mesh cannot read, such as encrypted. That it has ended counts all the same.
    const { status } = await workflow.describe();
    const end = ENDS[status.name];
    if (!end) throw error;
    const unreadable = messageOf(error);
    if (end === 'completed') return { ended: end, result: undefined, unreadable };
    return { ended: end, reason: `the reason cannot be read: ${unreadable}` };
  }
}

const ENDS: Partial<Record<WorkflowExecutionStatusName, AgentWorkflowEnd['ended']>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  TERMINATED: 'failed',
  CANCELLED: 'cancelled',
  TIMED_OUT: 'timeout',
};

function endOf({ cause, message }: WorkflowFailedError): AgentWorkflowEnd {
  const reason = cause === undefined ? message : messageOf(cause);
  if (cause instanceof CancelledFailure) return { ended: 'cancelled', reason };
  return { ended: cause instanceof TimeoutFailure ? 'timeout' : 'failed', reason };
}

async function aborted(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  return undefined;
}
