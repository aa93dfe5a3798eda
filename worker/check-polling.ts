import { hostname } from 'node:os';
import { Connection } from '@temporalio/client';
import { explainConnectionError, readConnection } from '#client/connection.js';
import { TASK_QUEUE } from '#contract/names.js';
import { readSettings } from '#contract/settings.js';
import { messageOf } from '#contract/text/words.js';

// The health check of a worker's container: exit code 0 when Temporal has lately seen a worker of this very container ask
// for work. Asked of the server, since a process that merely exists may be stuck, refused or cut off.

const ANSWER_WITHIN_MS = 4_000;
/** A worker asks again at least once a minute, whether there is work or not. */
const SEEN_WITHIN_MS = 75_000;
const WORKFLOW_TASK_QUEUE = 1;

/** What is wrong, or nothing. */
async function checkPolling(): Promise<string | undefined> {
  const where = readConnection(readSettings(process.env).settings, process.env);
  try {
    const lastSeenAt = await lastSeenHere(where);
    if (Date.now() - lastSeenAt < SEEN_WITHIN_MS) return undefined;
    return `no worker of ${hostname()} asked for work within ${SEEN_WITHIN_MS / 1_000} s`;
  } catch (error) {
    return explainConnectionError(error, where) ?? messageOf(error);
  }
}

async function lastSeenHere({ address, namespace, options }: ReturnType<typeof readConnection>): Promise<number> {
  const connection = await Connection.connect({ address, ...options, connectTimeout: ANSWER_WITHIN_MS });
  try {
    const { pollers } = await connection.withDeadline(Date.now() + ANSWER_WITHIN_MS, () =>
      connection.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: TASK_QUEUE },
        taskQueueType: WORKFLOW_TASK_QUEUE,
      }),
    );
    // Workers name themselves after their process and host, see create-worker.ts; the host of a container is the container.
    const here = (pollers ?? []).filter(({ identity }) => identity?.endsWith(`@${hostname()}`));
    return Math.max(0, ...here.map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000));
  } finally {
    await connection.close();
  }
}

const problem = await checkPolling().catch(messageOf);
// What a health check prints is kept with its result, for `docker inspect`.
process.stdout.write(`${problem ?? 'polling'}\n`);
process.exitCode = problem === undefined ? 0 : 1;
