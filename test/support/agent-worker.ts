import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { inject } from 'vitest';

/** Somebody else's worker, for agents that are workflows: those of `test/fixtures/agent-workflows.ts`. */
export interface AgentWorker {
  taskQueue: string;
  connection: NativeConnection;
  stop(): Promise<void>;
}

export async function startAgentWorker(): Promise<AgentWorker> {
  const workflowsPath = fileURLToPath(new URL('../fixtures/agent-workflows.ts', import.meta.url));
  const quiet = () => undefined;
  const logger = { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: quiet, error: console.error };
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger });
  const taskQueue = `agents-of-others-${randomUUID()}`;
  const connection = await NativeConnection.connect({ address: inject('temporalAddress') });
  const worker = await Worker.create({ connection, taskQueue, workflowBundle, debugMode: true });
  const working = worker.run();
  return {
    taskQueue,
    connection,
    async stop() {
      worker.shutdown();
      await working;
      await connection.close();
    },
  };
}
