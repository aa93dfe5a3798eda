import { afterEach, expect, onTestFinished, test } from 'vitest';
import { leaseId } from '../../contract/ids.js';
import { KUBERNETES_TOKEN, startKubernetesServer } from '../support/kubernetes-server.js';
import { startReferenceBridge } from '../support/reference-bridge.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';

// Rule, remediation, lease and release in one, against the example bridge as a process of its own and a scale endpoint.

let mesh: TestMesh | undefined;

afterEach(() => mesh?.stop());

async function meshWith(bridge: Record<string, unknown>, forMs: number, ensure = 1): Promise<TestMesh> {
  mesh = await startTestMesh({
    rules: {
      defaultCooldownMs: 0,
      defaultDedupWindowMs: 0,
      rules: [
        {
          id: 'r',
          trigger: { event: 'TaskCompleted' },
          actions: [{ type: 'warm_remote_capacity', id: 'warm', forMs, ensure }],
        },
      ],
    },
    config: { bridge, outbound: { privateHosts: ['127.0.0.1'] } },
    env: { CAPACITY_TOKEN: 'tok-5a8e4f0b9c', KUBERNETES_TOKEN },
  });
  return mesh;
}

test('capacity is there from the first remediation to the end of the last one’s lease, and is given back once', async () => {
  const bridge = await startReferenceBridge([], { CAPACITY_TOKEN: 'tok-5a8e4f0b9c' });
  onTestFinished(() => bridge.stop());
  const { tenant, client, report, result } = await meshWith({ url: bridge.url, token: '${env:CAPACITY_TOKEN}' }, 4_000);

  const [first = ''] = await report({});
  const { actions } = await result('r', first);
  const [second = ''] = await report({});
  await result('r', second);
  const lease = client.workflow.getHandle(leaseId(tenant, 'env-1'));
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

test('replicas are raised, and lowered again when the lease ends', async () => {
  const cluster = await startKubernetesServer();
  onTestFinished(() => cluster.close());
  const ca = new URL('../fixtures/tls/ca.pem', import.meta.url).pathname;
  const bridge = { kind: 'kubernetes', url: cluster.url, token: '${env:KUBERNETES_TOKEN}', ca: `\${file:${ca}}` };
  cluster.setReplicas(1);
  const { tenant, client, report, result } = await meshWith(bridge, 2_000, 3);

  const [id = ''] = await report({});
  const { actions } = await result('r', id);
  const released = await client.workflow.getHandle(leaseId(tenant, 'agents/deployments/runner')).result();

  expect(actions).toMatchObject([
    { status: 'executed', detail: 'Remote capacity warmed for environment agents/deployments/runner' },
  ]);
  expect(released).toMatchObject({ detail: 'agents/deployments/runner went back from 3 to 1 replicas' });
  expect(cluster.calls.filter((call) => call.startsWith('PATCH'))).toEqual(['PATCH /scale 3', 'PATCH /scale 1']);
});
