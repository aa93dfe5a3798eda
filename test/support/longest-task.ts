import type { WorkflowHandle } from '@temporalio/client';

/** The longest that a worker took over one task of a workflow, from its start to its answer, by the clock of the server. */
export async function longestTaskMs(workflow: WorkflowHandle): Promise<number> {
  const { events } = await workflow.fetchHistory();
  let startedMs = 0;
  let longestMs = 0;
  for (const { eventTime, workflowTaskStartedEventAttributes, workflowTaskCompletedEventAttributes } of events ?? []) {
    const atMs = Number(eventTime?.seconds ?? 0) * 1_000 + (eventTime?.nanos ?? 0) / 1e6;
    if (workflowTaskStartedEventAttributes) startedMs = atMs;
    if (workflowTaskCompletedEventAttributes) longestMs = Math.max(longestMs, atMs - startedMs);
  }
  return longestMs;
}
