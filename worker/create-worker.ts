import { hostname } from 'node:os';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createAgentWorkflows } from '../activities/actions/spawn-fallback-agent/adapters/agent-workflows.js';
import { createWorkflows } from '../activities/adapters/workflows/create-workflows.js';
import { createActivities, type MeshActivities, type World } from '../activities/index.js';
import type { ConnectionSettings } from '../client/connection.js';
import { TASK_QUEUE } from '../contract/names.js';
import { BUNDLE_PATH } from './bundle.js';

export interface WorkerSetup {
  connection: ConnectionSettings;
  world: Omit<World, 'workflows' | 'agentWorkflows' | 'temporal'>;
  taskQueue?: string;
  bundlePath?: string;
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
  const client = new Client({ connection, namespace });
  const world: World = {
    ...setup.world,
    temporal: { address, namespace },
    workflows: createWorkflows(client, taskQueue),
    agentWorkflows: createAgentWorkflows(client),
  };
  const activities = createActivities(world);
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    workflowBundle: { codePath: setup.bundlePath ?? BUNDLE_PATH },
    activities: setup.wrap?.(activities, world) ?? activities,
    identity: `mesh-worker ${process.pid}@${hostname()}`,
    // The default of 0 would cut off actions at once.
    shutdownGraceTime: '8 seconds',
    shutdownForceTime: '12 seconds',
    // An abort reaches an action with the answer to a heartbeat.
    maxHeartbeatThrottleInterval: '1 second',
    defaultHeartbeatThrottleInterval: '1 second',
    // How long the watch waits for a worker that died before another one takes over.
    stickyQueueScheduleToStartTimeout: '5 seconds',
    maxConcurrentActivityTaskExecutions: 100,
    maxConcurrentLocalActivityExecutions: 100,
  });
  return {
    async run() {
      try {
        await worker.run();
      } finally {
        setup.world.mailer.close();
        await setup.world.outbound.close();
        await connection.close();
      }
    },
    shutdown() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
    },
    underWay: () => worker.getStatus().numInFlightActivities,
  };
}
