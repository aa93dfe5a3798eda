import type { Client } from '@temporalio/client';
import { messageOf } from '#contract/text/words.js';

export interface MeshHealth {
  /** Whether Temporal answers. */
  isReachable: boolean;
  /** Why it does not. */
  problem?: string;
  /** Workers that asked for work of this task queue lately. */
  workers: number;
}

const ANSWER_WITHIN_MS = 2_000;
/** A worker asks again at least once a minute, whether there is work or not. */
const WORKER_SEEN_WITHIN_MS = 75_000;
const WORKFLOW_TASK_QUEUE = 1;

/** Whether Temporal answers, and whether somebody does the work. */
export async function readHealth(client: Client, taskQueue: string): Promise<MeshHealth> {
  try {
    const { pollers } = await client.withDeadline(Date.now() + ANSWER_WITHIN_MS, () =>
      client.workflowService.describeTaskQueue({
        namespace: client.options.namespace,
        taskQueue: { name: taskQueue },
        taskQueueType: WORKFLOW_TASK_QUEUE,
      }),
    );
    // A worker asks under one identity on its own queue and on the shared one.
    const seen = (pollers ?? []).filter(
      ({ lastAccessTime }) => Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1000 < WORKER_SEEN_WITHIN_MS,
    );
    return { isReachable: true, workers: new Set(seen.map(({ identity }) => identity)).size };
  } catch (error) {
    return { isReachable: false, problem: messageOf(error), workers: 0 };
  }
}
