import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { NoticeInput, NoticeResult } from '#contract/notice.js';
import { deliveredIn } from './plan-retry.js';
import { MeshError } from './errors.js';
import { inputOf, progressOf, startAgain } from './past-runs.js';
import type { Retried } from '#contract/views/remediation.js';
import { explainCall } from './temporal-errors.js';

/** Has a message of the mesh itself delivered to those who have not got it, under the same effect keys. */
export async function retryNotice(client: Client, id: string): Promise<Retried> {
  const description = await describe(client, id);
  if (description.status.name === 'RUNNING') throw conflict(`${id} is still being delivered`);
  const [input, progress] = await Promise.all([
    inputOf<NoticeInput>(client, description),
    progressOf<Partial<NoticeResult>>(client, description),
  ]);
  if (!progress) throw conflict(`who has got ${id} is not known: it did not end by itself, and no worker can tell`);
  const { outcome, deliveries = [] } = progress;
  if (outcome === 'executed') throw conflict(`everyone has got ${id}`);
  if (outcome === 'skipped')
    throw conflict(`nobody was to be told of ${id}${progress.reason ? `: ${progress.reason}` : ''}`);

  const delivered = deliveredIn([...(input.delivered ?? []), ...deliveries]);
  const missed = deliveries.filter(({ status }) => status !== 'delivered').map(({ delivery }) => delivery);
  // Of one that did not end by itself, or that could not even be written, nobody knows for whom it was.
  const actions = outcome !== undefined && missed.length > 0 ? missed : [input.kind];
  return { runId: await startAgain(client, description, { ...input, delivered }), actions };
}

async function describe(client: Client, id: string): Promise<WorkflowExecutionDescription> {
  try {
    return await client.workflow.getHandle(id).describe();
  } catch (error) {
    throw explainCall(error, `there is no message ${id}`);
  }
}

function conflict(message: string): MeshError {
  return new MeshError('conflict', message);
}
