import { hostname } from 'node:os';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createAgentWorkflows } from '#adapters/temporal/agent-workflows.js';
import { patientQueries } from '#adapters/temporal/patient-queries.js';
import { createWorkflows } from '#adapters/temporal/create-workflows.js';
import { createActivities, type MeshActivities, type World } from '#activities/index.js';
import type { ConnectionSettings } from '#client/connection.js';
import { messageOf } from '#contract/text/words.js';
import { MAX_MESSAGES } from '#contract/limits.js';
import { actionQueueOf, TASK_QUEUE } from '#contract/names.js';
import type { TellRecord } from '#contract/record.js';
import { BUNDLE_PATH } from './bundle.js';

export interface WorkerSetup {
  connection: ConnectionSettings;
  world: Omit<World, 'workflows' | 'agentWorkflows' | 'temporal'>;
  /** Hears of every verdict and every end of a remediation, before they are committed. */
  tell?: TellRecord;
  taskQueue?: string;
  bundlePath?: string;
  /** Runs workflows in this thread, and lets them take as long as they like: for tests, which start many workers, and debuggers. */
  debugMode?: boolean;
  /** Lets tests stand between the workflows and the world, or make the activities anew on a world they stand before. */
  wrap?(activities: MeshActivities, world: World): MeshActivities;
}

export interface MeshWorker {
  /** Runs until shut down; then every connection is closed. */
  run(): Promise<void>;
  shutdown(): void;
  /** How many actions and other activities are under way. */
  underWay(): number;
}

/** Wires workflows, activities and the outside world to one connection and task queue. */
export async function createWorker(setup: WorkerSetup): Promise<MeshWorker> {
  const { address, namespace, options } = setup.connection;
  const taskQueue = setup.taskQueue ?? TASK_QUEUE;
  const connection = await NativeConnection.connect({ address, ...options });
  // On the worker's own connection, so that the server can hand a new remediation straight to this worker.
  const client = new Client({ connection, namespace, interceptors: { workflow: [patientQueries()] } });
  const world: World = {
    ...setup.world,
    temporal: { address, namespace },
    workflows: createWorkflows(client, taskQueue),
    agentWorkflows: createAgentWorkflows(client),
  };
  const created = createActivities(world);
  const activities = setup.wrap?.(created, world) ?? created;
  const shared = {
    connection,
    namespace,
    identity: `mesh-worker ${process.pid}@${hostname()}`,
    // The default of 0 would cut off actions at once.
    shutdownGraceTime: '8 seconds',
    shutdownForceTime: '12 seconds',
    // An abort reaches an action with the answer to a heartbeat.
    maxHeartbeatThrottleInterval: '1 second',
    defaultHeartbeatThrottleInterval: '1 second',
    maxConcurrentActivityTaskExecutions: 100,
  } as const;
  const { matchEvents, startRemediations, startNotices, awaitRules, ...actions } = activities;
  const { composeNotification, composeNotice, deliverNotification, ...agents } = actions;
  const worker = await Worker.create({
    ...shared,
    taskQueue,
    workflowBundle: { codePath: setup.bundlePath ?? BUNDLE_PATH },
    activities: { matchEvents, startRemediations, startNotices, awaitRules },
    sinks: {
      record: {
        tell: { fn: (_info, ...told) => setup.tell?.(...(told as Parameters<TellRecord>)), callDuringReplay: false },
      },
    },
    debugMode: setup.debugMode ?? false,
    // How long the watch waits for a worker that died before another one takes over.
    stickyQueueScheduleToStartTimeout: '5 seconds',
  });
  const agentWorker = await Worker.create({
    ...shared,
    taskQueue: actionQueueOf(taskQueue, 'agents'),
    activities: agents,
  });
  const messageWorker = await Worker.create({
    ...shared,
    taskQueue: actionQueueOf(taskQueue, 'messages'),
    activities: { composeNotification, composeNotice, deliverNotification },
    maxConcurrentActivityTaskExecutions: MAX_MESSAGES,
  });
  const workers = [worker, agentWorker, messageWorker];
  return {
    async run() {
      try {
        // Should one of them end by itself, the others must not go on alone.
        const ended = await Promise.allSettled(workers.map((one) => one.run().finally(shutdown)));
        const failures = ended.flatMap((end): unknown[] => (end.status === 'rejected' ? [end.reason] : []));
        if (failures.length > 1) throw new AggregateError(failures, failures.map(messageOf).join('; '));
        if (failures.length === 1) throw failures[0];
      } finally {
        setup.world.mailers.close();
        await setup.world.outbound.close();
        await connection.close();
      }
    },
    shutdown,
    underWay: () => workers.reduce((sum, one) => sum + one.getStatus().numInFlightActivities, 0),
  };

  function shutdown(): void {
    for (const one of workers) if (one.getState() === 'RUNNING') one.shutdown();
  }
}
