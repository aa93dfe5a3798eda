import { CancelledFailure } from '@temporalio/common';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type BridgeServer, startBridgeServer } from '#test/support/bridge-server.js';
import { capacityWorld } from '#test/support/capacity-world.js';

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

  await expect(warm()).rejects.toMatchObject({
    type: 'action-error',
    nonRetryable: false,
    message: 'Remote warm-up failed: the server is away',
    cause: new Error('the server is away'),
  });
  expect(bridge.requests).toEqual([]);
});

test('a cancellation while the lease is being kept is no failure', async () => {
  const { warm } = capacityWorld({
    config: bridge.config,
    keepLease: () => Promise.reject(new CancelledFailure('aborted')),
  });

  await expect(warm()).rejects.toBeInstanceOf(CancelledFailure);
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

test('each lease of one request is given back, and asked for again, by a request of its own', async () => {
  bridge.next('GET /v1/environments', { status: 200, body: { environments: [{ id: 'env:2', ready: 0 }] } });
  bridge.next('POST /v1/release', { status: 200, body: { environment: 'env:2', released: 0 } });
  const { warm, release, reacquire, leases } = capacityWorld({ config: bridge.config });
  await warm();
  expect(new Set(leases.map(({ effectKey, untilAt }) => `${effectKey} ${untilAt}`)).size).toBe(1);
  bridge.requests.length = 0;

  for (const lease of leases) {
    expect(await release(lease)).toMatchObject({ status: 'executed' });
    expect(await reacquire(lease)).toMatchObject({ status: 'executed' });
  }

  const [one] = leases;
  for (const [what, requests] of [
    ['release', bridge.releases],
    ['again', bridge.requests],
  ] as const) {
    expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual([
      `${one?.effectKey}/${what}/env%3A2/${one?.untilAt}`,
      `${one?.effectKey}/${what}/env-1/${one?.untilAt}`,
    ]);
  }
});

test('a release that is answered for another environment is none', async () => {
  bridge.next('POST /v1/release', { status: 200, body: { environment: 'env-2', released: 1 } });
  const { release, aLease } = capacityWorld({ config: bridge.config });

  await expect(release(aLease())).rejects.toMatchObject({
    nonRetryable: true,
    message: 'Remote capacity was not given back: the bridge answered for environment env-2, not for env-1',
  });
});

test('a policy against remote sessions does not keep what is there from being given back', async () => {
  const { warm, leases } = capacityWorld({ config: bridge.config });
  await warm();
  const { release } = capacityWorld({ config: { ...bridge.config, policy: { allowRemoteSessions: false } } });

  const [lease] = leases;
  expect(lease && (await release(lease))).toMatchObject({ status: 'executed' });
});

test('without a bridge nothing can be given back, and that is said', async () => {
  const { release, aLease } = capacityWorld({ config: {} });

  expect(await release(aLease())).toEqual({
    status: 'skipped',
    reason: 'Bridge is not active; env-1 is left as it is',
    attempts: 1,
  });
});

test.each([
  [{ status: 503 }, 'bridge-failed', false],
  [{ status: 409 }, 'bridge-failed', false],
  [{ status: 403 }, 'bridge-refused', true],
])('a release answered with %o fails as %s', async (answer, type, nonRetryable) => {
  bridge.next('POST /v1/release', answer);
  const { release, aLease } = capacityWorld({ config: bridge.config });

  await expect(release(aLease())).rejects.toMatchObject({
    type,
    nonRetryable,
    message: `Remote capacity was not given back: the bridge answered ${answer.status}`,
  });
});
