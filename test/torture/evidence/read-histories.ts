import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import proto, { type temporal } from '@temporalio/proto';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
type Payloads = temporal.api.common.v1.IPayloads | null | undefined;

/** One run of a workflow, as the server has it on record. */
export interface RecordedRun {
  type: string;
  id: string;
  runId: string;
  status: string;
  startedAt: number;
  input: unknown;
  result: unknown;
  signals: { name: string; argument: unknown; at: number }[];
  failedTasks: { cause: string; message: string; at: number }[];
  /** Attempts at the task that is open now. */
  taskAttempt: number;
  /** Activities that are not done, with how often they were tried and why in vain. */
  pending: string[];
  wasAskedToEnd: boolean;
}

const AT_ONCE = 6;

/** Every run of every workflow there is, in the order in which they were started. */
export async function readHistories(client: Client): Promise<RecordedRun[]> {
  const waiting: WorkflowExecutionInfo[] = [];
  for await (const found of client.workflow.list()) waiting.push(found);
  const runs: RecordedRun[] = [];
  const readNext = async (): Promise<void> => {
    for (let next = waiting.pop(); next; next = waiting.pop()) runs.push(await readRun(client, next));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readNext));
  return runs.sort((a, b) => a.startedAt - b.startedAt);
}

async function readRun(client: Client, found: WorkflowExecutionInfo): Promise<RecordedRun> {
  const { type, workflowId: id, runId, status } = found;
  const handle = client.workflow.getHandle(id, runId);
  const { events } = await handle.fetchHistory();
  const isOpen = status.name === 'RUNNING';
  const { pendingWorkflowTask, pendingActivities } = isOpen ? (await handle.describe()).raw : {};
  const run: RecordedRun = {
    ...{ type, id, runId, status: status.name },
    startedAt: atOf(events?.[0]),
    input: undefined,
    result: undefined,
    signals: [],
    failedTasks: [],
    taskAttempt: pendingWorkflowTask?.attempt ?? 0,
    pending: (pendingActivities ?? []).map(
      ({ activityType, attempt, lastFailure }) =>
        `${activityType?.name}, attempt ${attempt}${lastFailure ? ` after ${whyOf(lastFailure)}` : ''}`,
    ),
    wasAskedToEnd: false,
  };
  for (const event of events ?? []) note(run, event);
  return run;
}

function note(run: RecordedRun, event: HistoryEvent): void {
  const {
    workflowExecutionStartedEventAttributes: started,
    workflowExecutionSignaledEventAttributes: signaled,
    workflowExecutionCompletedEventAttributes: completed,
    workflowExecutionFailedEventAttributes: closedAsFailed,
    workflowTaskFailedEventAttributes: failed,
    workflowExecutionCancelRequestedEventAttributes: cancelRequested,
  } = event;
  const at = atOf(event);
  if (started) run.input = firstOf(started.input);
  if (completed) run.result = firstOf(completed.result);
  // What closes as failed, so that operators see red, has its whole result in the details.
  if (closedAsFailed) run.result = firstOf(closedAsFailed.failure?.applicationFailureInfo?.details);
  if (cancelRequested) run.wasAskedToEnd = true;
  if (signaled) run.signals.push({ name: signaled.signalName ?? '', argument: firstOf(signaled.input), at });
  if (failed) {
    const cause = proto.temporal.api.enums.v1.WorkflowTaskFailedCause[failed.cause ?? 0] ?? String(failed.cause);
    run.failedTasks.push({
      cause: cause.replace('WORKFLOW_TASK_FAILED_CAUSE_', ''),
      message: failed.failure?.message ?? '',
      at,
    });
  }
}

function firstOf(payloads: Payloads): unknown {
  const [first] = payloads?.payloads ?? [];
  return first ? defaultPayloadConverter.fromPayload(first) : undefined;
}

function whyOf({ message, cause }: temporal.api.failure.v1.IFailure): string {
  return [message, cause ? whyOf(cause) : ''].filter(Boolean).join(': ');
}

function atOf(event: HistoryEvent | undefined): number {
  const { seconds, nanos } = event?.eventTime ?? {};
  return Number(seconds ?? 0) * 1_000 + Math.floor((nanos ?? 0) / 1_000_000);
}
