import type { Context } from '@temporalio/activity';
import type { Workflows } from '#adapters/temporal/workflows.js';

/**
 * Whether nobody wants this action any more. Not so when only this worker stops, or when the server has given this attempt up
 * because it did not hear of it: the next attempt waits for the same agent. `notFound` says that too, so the remediation tells.
 */
export async function isAborted(
  { cancellationDetails, info: { workflowExecution } }: Context,
  workflows: Pick<Workflows, 'closedAt'>,
): Promise<boolean> {
  if (cancellationDetails?.cancelRequested) return true;
  if (!cancellationDetails?.notFound || !workflowExecution) return false;
  const { workflowId, runId } = workflowExecution;
  // Where that cannot be said, an agent that goes on is better than one whose work is thrown away.
  return (await workflows.closedAt(workflowId, runId).catch(() => undefined)) !== undefined;
}
