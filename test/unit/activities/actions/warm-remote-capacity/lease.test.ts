import { afterEach, beforeEach, expect, test } from 'vitest';
import { type BridgeServer, startBridgeServer } from '../../../../support/bridge-server.js';
import { capacityWorld } from '../../../../support/capacity-world.js';

let bridge: BridgeServer;

beforeEach(async () => {
  bridge = await startBridgeServer();
});

afterEach(() => bridge.close());

test('the lease is kept before anything is taken', async () => {
  const takenBefore: number[] = [];
  const { warm } = capacityWorld({
    config: bridge.config,
    keepLease: async () => void takenBefore.push(bridge.requests.length),
  });

  await warm();

  expect(takenBefore).toEqual([0]);
});

test('without a lease nothing is taken', async () => {
  const { warm } = capacityWorld({
    config: bridge.config,
    keepLease: () => Promise.reject(new Error('the server is away')),
  });

  await expect(warm()).rejects.toThrow('the server is away');
  expect(bridge.requests).toEqual([]);
});

test('what was asked for in vain has a lease too: nobody knows what was taken', async () => {
  bridge.script.push('reset');
  const { warm, leases } = capacityWorld({ config: bridge.config });

  await expect(warm()).rejects.toThrow(/^Remote warm-up failed: /);

  expect(leases).toHaveLength(1);
});

test('the environment that took the request at an earlier attempt is the one that is verified, named and leased', async () => {
  bridge.next('GET /v1/environments', { status: 200, body: { environments: [{ id: 'env-2', ready: 0 }] } });
  const { warm, leases } = capacityWorld({ config: bridge.config });

  expect(await warm()).toMatchObject({ detail: 'Remote capacity warmed for environment env-1' });
  expect(leases.map(({ environment }) => environment)).toEqual(['env-2', 'env-1']);
  expect(bridge.calls.at(-1)).toBe('GET /v1/environments/env-1');
});

test('a policy against remote sessions does not keep what is there from being given back', async () => {
  const { warm, leases } = capacityWorld({ config: bridge.config });
  await warm();
  const { release } = capacityWorld({ config: { ...bridge.config, policy: { allowRemoteSessions: false } } });

  const [lease] = leases;
  expect(lease && (await release(lease))).toMatchObject({ status: 'executed' });
});

test('without a bridge nothing can be given back, and that is said', async () => {
  const lease = { tenant: 'default', environment: 'env-1', ensure: 1, untilAt: 0, effectKey: 'k' };

  expect(await capacityWorld({ config: {} }).release(lease)).toEqual({
    status: 'skipped',
    reason: 'Bridge is not active; env-1 is left as it is',
    attempts: 1,
  });
});

test.each([
  [{ status: 503 }, 'bridge-failed', false],
  [{ status: 403 }, 'bridge-refused', true],
])('a release answered with %o fails as %s', async (answer, type, nonRetryable) => {
  bridge.next('POST /v1/release', answer);
  const lease = { tenant: 'default', environment: 'env-1', ensure: 1, untilAt: 0, effectKey: 'k' };

  await expect(capacityWorld({ config: bridge.config }).release(lease)).rejects.toMatchObject({
    type,
    nonRetryable,
    message: `Remote capacity was not given back: the bridge answered ${answer.status}`,
  });
});
