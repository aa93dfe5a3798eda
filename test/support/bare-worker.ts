import { randomBytes } from 'node:crypto';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { inject } from 'vitest';
import type { ActionActivities, LeaseActivities, NoticeActivities, SlotsActivities } from '#contract/activities.js';
import { ACTION_QUEUES, actionQueueOf } from '#contract/names.js';
import { BUNDLE } from './paths.js';
import { installQuietRuntime } from './quiet-runtime.js';

installQuietRuntime();

/** The real workflows on a real server, with activities of the test's own: for what takes two receivers failing at a time. */
export interface BareWorker {
  client: Client;
  taskQueue: string;
  start(type: string, workflowId: string, input: unknown): Promise<WorkflowHandle>;
  stop(): Promise<void>;
}

export type BareActivities = Partial<ActionActivities & NoticeActivities & LeaseActivities & SlotsActivities>;

export async function startBareWorker(
  activities: BareActivities,
  taskQueue = `bare-${randomBytes(6).toString('hex')}`,
): Promise<BareWorker> {
  const address = inject('temporalAddress');
  const [connection, clientConnection] = await Promise.all([
    NativeConnection.connect({ address }),
    Connection.connect({ address }),
  ]);
  const client = new Client({ connection: clientConnection });
  const shared = {
    connection,
    maxHeartbeatThrottleInterval: 200,
    defaultHeartbeatThrottleInterval: 200,
    shutdownForceTime: '5 seconds',
  } as const;
  const workers = [
    await Worker.create({ ...shared, taskQueue, workflowBundle: { codePath: BUNDLE }, debugMode: true }),
    // A worker without any activities polls for none.
    ...(Object.keys(activities).length === 0
      ? []
      : await Promise.all(
          ACTION_QUEUES.map((queue) =>
            Worker.create({ ...shared, taskQueue: actionQueueOf(taskQueue, queue), activities }),
          ),
        )),
  ];
  const running = Promise.all(workers.map((worker) => worker.run()));
  return {
    client,
    taskQueue,
    start: (type, workflowId, input) => client.workflow.start(type, { workflowId, taskQueue, args: [input] }),
    async stop() {
      for (const worker of workers) worker.shutdown();
      await running;
      await connection.close();
      await clientConnection.close();
    },
  };
}
