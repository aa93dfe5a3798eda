import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { listDead } from '#client/list-dead.js';
import { leaseId, remediationId, watchId } from '#contract/ids.js';
import { eventually } from '../support/eventually.js';
import { KUBERNETES_TOKEN, type KubernetesServer, startKubernetesServer } from '../support/kubernetes-server.js';
import { startReferenceBridge } from '../support/reference-bridge.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';

// Rule, remediation, lease and release in one, against the example bridge as a process of its own and a scale endpoint.

let mesh: TestMesh | undefined;
/** A lease of seconds may end before all that it is to be kept for is there. Until that is, a test lets nothing be given back. */
let mayGiveBack: boolean;

beforeEach(() => (mayGiveBack = true));

afterEach(() => mesh?.stop());

function rulesOf(forMs: number, ensure: number) {
  const actions = [{ type: 'warm_remote_capacity', id: 'warm', forMs, ensure }];
  const rules = [{ id: 'r', trigger: { event: 'TaskCompleted' }, actions }];
  return { defaultCooldownMs: 0, defaultDedupWindowMs: 0, rules };
}

async function meshWith(bridge: Record<string, unknown>, forMs: number, ensure = 1): Promise<TestMesh> {
  mesh = await startTestMesh({
    rules: rulesOf(forMs, ensure),
    config: { bridge, outbound: { privateHosts: ['127.0.0.1'] } },
    env: { CAPACITY_TOKEN: 'tok-5a8e4f0b9c', KUBERNETES_TOKEN },
    wrap: (activities) => ({
      ...activities,
      async releaseCapacity(lease) {
        if (mayGiveBack) return activities.releaseCapacity(lease);
        throw new Error('not yet, says the test');
      },
    }),
  });
  return mesh;
}

test('capacity is there from the first remediation to the end of the last one’s lease, and is given back once', async () => {
  const bridge = await startReferenceBridge([], { CAPACITY_TOKEN: 'tok-5a8e4f0b9c' });
  onTestFinished(() => bridge.stop());
  const { taskQueue, client, report, result } = await meshWith(
    { url: bridge.url, token: '${env:CAPACITY_TOKEN}' },
    4_000,
  );
  mayGiveBack = false;

  const [first = ''] = await report({});
  const { actions } = await result('r', first);
  const [second = ''] = await report({});
  await result('r', second);
  mayGiveBack = true;
  const lease = client.workflow.getHandle(leaseId(taskQueue, 'env-1'));
  const released = await lease.result();

  expect(actions).toMatchObject([
    { action: 'warm', status: 'executed', detail: 'Remote capacity warmed for environment env-1', attempts: 1 },
  ]);
  expect(released).toMatchObject({ status: 'executed' });
  const lines = () => bridge.lines().filter((line) => /\/v1\/(capacity|release)/.test(line));
  await expect.poll(() => lines().length, { timeout: 5_000 }).toBe(3);
  const [, extended = '', given = ''] = lines();
  const until = /"until":"([^"]+)"/.exec(extended)?.[1] ?? '';
  // Both in one, and not before the later of them has ended.
  expect(given).toContain('/v1/release {"environment":"env-1","released":2}');
  expect(Date.parse(given.split(' ')[0] ?? '')).toBeGreaterThanOrEqual(Date.parse(until));
});

async function clusterBridge(
  replicas: number,
): Promise<{ cluster: KubernetesServer; bridge: Record<string, unknown> }> {
  const cluster = await startKubernetesServer();
  onTestFinished(() => cluster.close());
  cluster.setReplicas(replicas);
  const ca = new URL('../fixtures/tls/ca.pem', import.meta.url).pathname;
  const secrets = { token: '${env:KUBERNETES_TOKEN}', ca: `\${file:${ca}}` };
  return { cluster, bridge: { kind: 'kubernetes', url: cluster.url, ...secrets } };
}

const OBJECT = 'agents/deployments/runner';

test('replicas are raised, and lowered again when the lease ends', async () => {
  const { cluster, bridge } = await clusterBridge(1);
  const { taskQueue, client, report, result } = await meshWith(bridge, 2_000, 3);
  mayGiveBack = false;

  const [id = ''] = await report({});
  const { actions } = await result('r', id);
  mayGiveBack = true;
  const released = await client.workflow.getHandle(leaseId(taskQueue, OBJECT)).result();

  expect(actions).toMatchObject([{ status: 'executed', detail: `Remote capacity warmed for environment ${OBJECT}` }]);
  expect(released).toMatchObject({ detail: `${OBJECT} went back from 3 to 1 replicas` });
  expect(cluster.calls.filter((call) => call.startsWith('PATCH'))).toEqual(['PATCH /scale 3', 'PATCH /scale 1']);
});

test('two tenants that ask for one object: it is not lowered before the lease of the last has ended', async () => {
  const { cluster, bridge } = await clusterBridge(1);
  // Long enough for the second to come before the end of the first, on a busy machine too.
  const forMs = 10_000;
  const { tenant, folder, rulesFile, taskQueue, client, report, result } = await meshWith(bridge, forMs, 3);
  const other = `${tenant}-other`;
  await copyFile(rulesFile, join(folder, 'rules', `${other}.json`));
  mayGiveBack = false;

  const [first = ''] = await report({});
  await result('r', first);
  const [second = ''] = await report({ tenant: other });
  const later = client.workflow.getHandle(remediationId(other, 'r', second));
  await eventually('the second remediation', () => later.describe());
  await later.result();
  mayGiveBack = true;
  const lease = client.workflow.getHandle(leaseId(taskQueue, OBJECT));
  const released = await lease.result();

  await client.workflow.getHandle(watchId(other)).terminate('the test is over');

  const [{ startTime }, { closeTime }] = await Promise.all([later.describe(), lease.describe()]);
  expect(Number(closeTime)).toBeGreaterThanOrEqual(startTime.getTime() + forMs);
  expect(released).toMatchObject({ detail: `${OBJECT} went back from 3 to 1 replicas` });
  expect(cluster.calls.filter((call) => call.startsWith('PATCH'))).toEqual(['PATCH /scale 3', 'PATCH /scale 1']);
});

test('replicas that are raised after their lease has ended are lowered by the next one', async () => {
  const { cluster, bridge } = await clusterBridge(1);
  const { taskQueue, client, report, result } = await meshWith(bridge, 1_000, 3);
  const lease = client.workflow.getHandle(leaseId(taskQueue, OBJECT));
  let early: unknown;
  cluster.beforePatch(async () => (early = await lease.result()));

  const [id = ''] = await report({});
  await result('r', id);
  const late = await lease.result();

  expect(early).toMatchObject({ detail: `${OBJECT} has 1 replicas, as before` });
  expect(late).toMatchObject({ detail: `${OBJECT} went back from 3 to 1 replicas` });
  expect(cluster.replicas()).toBe(1);
});

test('capacity that could not be given back is listed, with what the mesh has raised', async () => {
  const { cluster, bridge } = await clusterBridge(1);
  const { tenant, taskQueue, client, report, result } = await meshWith(bridge, 2_000, 3);
  const lease = client.workflow.getHandle(leaseId(taskQueue, OBJECT));
  mayGiveBack = false;

  const [id = ''] = await report({});
  await result('r', id);
  cluster.next('PATCH /scale', { status: 403, message: 'deployments.apps "runner" is forbidden' });
  mayGiveBack = true;

  const restorePoint = { originalCount: 1, countsSetByMesh: [3] };
  await expect(lease.result()).rejects.toMatchObject({
    cause: {
      type: 'release-failed',
      details: [{ reason: expect.stringContaining('403') as string, restorePoint }],
    },
  });
  const dead = async () => (await listDead(client, { tenant })).dead;
  const listed = await eventually('the list', async () => ((await dead()).length > 0 ? dead() : undefined));
  expect(listed).toMatchObject([{ kind: 'lease', environment: OBJECT, restorePoint }]);
  expect(cluster.replicas()).toBe(3);
});

test('replicas go back to what was there before their own lease, also when an earlier one was terminated', async () => {
  const { bridge } = await clusterBridge(1);
  const { taskQueue, client, report, result, writeRules } = await meshWith(bridge, 3_600_000, 3);
  const lease = client.workflow.getHandle(leaseId(taskQueue, OBJECT));
  const [first = ''] = await report({});
  await result('r', first);
  await lease.terminate('by hand');

  await writeRules(rulesOf(1_000, 5));
  const [second = ''] = await report({});
  await result('r', second);
  const released = await lease.result();

  expect(released).toMatchObject({ detail: `${OBJECT} went back from 5 to 3 replicas` });
});
