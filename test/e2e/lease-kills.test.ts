import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { expect, test, type TestContext } from 'vitest';
import { leaseId } from '#contract/ids.js';
import { startBridgeServer } from '../support/bridge-server.js';
import { KUBERNETES_TOKEN, startKubernetesServer } from '../support/kubernetes-server.js';
import { startMeshWorkerProcess } from '../support/mesh-worker-process.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';

// A real worker, ended with SIGKILL around the end of a lease: the capacity is given back once, whatever the worker stood at.
// Side by side, since most of the time goes by until a kill is noticed.

const HOUR_MS = 3_600_000;

interface Kill {
  name: string;
  /** Where the worker stands when it is killed; none: when the lease waits for its end. */
  at?: 'before' | 'after';
  forMs: number;
}

const KILLS: Kill[] = [
  { name: 'while the lease waits', forMs: 10_000 },
  // An operator ends these, when the capacity is there. After a few seconds they could end by themselves before that.
  { name: 'before the request that gives back', at: 'before', forMs: HOUR_MS },
  { name: 'after the request that gives back', at: 'after', forMs: HOUR_MS },
];

for (const { name, at, forMs } of KILLS) {
  test.concurrent(`HTTP bridge, a worker killed ${name}: given back once`, { timeout: 120_000 }, async (context) => {
    const bridge = await startBridgeServer();
    context.onTestFinished(() => bridge.close());
    const mesh = await meshWith(bridge.config, forMs, context);

    await killAt(at, 'POST /v1/release', mesh, 'env-1');
    const readyAtKill = bridge.ready();
    const released = await endOfLease(mesh, 'env-1');

    expect(readyAtKill).toBe(at === 'after' ? 0 : 3);
    expect(released).toMatchObject({ status: 'executed' });
    expect(bridge.ready()).toBe(0);
    // What was already done is asked for again by its key, and that is all.
    const keys = bridge.releases.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(at === 'after' ? 2 : 1);
    expect(new Set(keys).size).toBe(1);
  });

  test.concurrent(`Kubernetes, a worker killed ${name}: replicas as before`, { timeout: 120_000 }, async (context) => {
    const cluster = await startKubernetesServer();
    context.onTestFinished(() => cluster.close());
    cluster.setReplicas(1);
    const ca = new URL('../fixtures/tls/ca.pem', import.meta.url).pathname;
    const secrets = { token: '${file:token}', ca: `\${file:${ca}}` };
    const bridge = { kind: 'kubernetes', url: cluster.url, ...secrets };
    const mesh = await meshWith({ bridge, outbound: { privateHosts: ['127.0.0.1'] } }, forMs, context);
    await writeFile(join(mesh.folder, 'token'), KUBERNETES_TOKEN);

    // The second PATCH is the one that lowers.
    await killAt(at, `PATCH ${new URL(cluster.url).pathname}/scale, 2`, mesh, 'agents/deployments/runner');
    const replicasAtKill = cluster.replicas();
    const released = await endOfLease(mesh, 'agents/deployments/runner');

    expect(replicasAtKill).toBe(at === 'after' ? 1 : 3);
    expect(released).toMatchObject({ status: 'executed' });
    expect(cluster.replicas()).toBe(1);
    expect(cluster.calls.filter((call) => call.startsWith('PATCH'))).toEqual(['PATCH /scale 3', 'PATCH /scale 1']);
  });
}

async function meshWith(config: unknown, forMs: number, { onTestFinished }: TestContext): Promise<TestMesh> {
  const mesh = await startTestMesh({
    rules: {
      rules: [
        {
          id: 'r',
          trigger: { event: 'TaskCompleted' },
          actions: [{ type: 'warm_remote_capacity', ensure: 3, forMs }],
        },
      ],
    },
    config,
    withoutWorker: true,
  });
  onTestFinished(() => mesh.stop());
  return mesh;
}

async function killAt(at: Kill['at'], request: string, mesh: TestMesh, environment: string): Promise<void> {
  // Also where it is to be killed while the lease waits: should that end first, nothing is given back before the kill.
  const step = `${at ?? 'before'} ${request}`;
  const worker = await startMeshWorkerProcess(mesh, { stops: [step] });
  try {
    const [id = ''] = await mesh.report({});
    await mesh.result('r', id);
    if (at === undefined) return;
    await leaseOf(mesh, environment).cancel();
    await worker.reached([step]);
  } finally {
    await worker.kill();
  }
}

/** With another worker in the place of the first. */
async function endOfLease(mesh: TestMesh, environment: string): Promise<unknown> {
  const lease = leaseOf(mesh, environment);
  const { status } = await lease.describe();
  expect(status.name).toBe('RUNNING');
  await mesh.startWorker();
  return lease.result();
}

function leaseOf({ client, taskQueue }: TestMesh, environment: string): WorkflowHandle {
  return client.workflow.getHandle(leaseId(taskQueue, environment));
}
