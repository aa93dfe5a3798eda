import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type BridgeServer, startBridgeServer } from '#test/support/bridge-server.js';
import { capacityWorld } from '#test/support/capacity-world.js';

let bridge: BridgeServer;

beforeEach(async () => {
  bridge = await startBridgeServer();
});

afterEach(() => bridge.close());

function status(overrides: Record<string, unknown>) {
  return { status: 200, body: { active: true, ...overrides } };
}

function environments(...list: Record<string, unknown>[]) {
  return { status: 200, body: { environments: list } };
}

const STATUS = 'GET /v1/status';
const LIST = 'GET /v1/environments';
const CREATE = 'POST /v1/environments';
const TAKE = 'POST /v1/capacity';
const LOOK = 'GET /v1/environments/env-1';

test('a healthy bridge: each step in its order, and then it is warm', async () => {
  const { warm, leases } = capacityWorld({ config: bridge.config });

  expect(await warm()).toEqual({
    status: 'executed',
    detail: 'Remote capacity warmed for environment env-1',
    attempts: 1,
    leaseUntilAt: leases[0]?.untilAt,
  });
  expect(bridge.calls).toEqual([STATUS, LIST, TAKE, LOOK]);
  expect(leases).toHaveLength(1);
});

describe('is skipped without a call', () => {
  test('when the policy forbids it, whatever the bridge is', async () => {
    const config = { ...bridge.config, policy: { allowRemoteSessions: false } };

    expect(await capacityWorld({ config }).warm()).toEqual({
      status: 'skipped',
      reason: 'Remote sessions are blocked by policy',
      attempts: 1,
    });
    const withoutBridge = await capacityWorld({ config: { policy: { allowRemoteSessions: false } } }).warm();
    expect(withoutBridge.reason).toBe('Remote sessions are blocked by policy');
    expect(bridge.calls).toEqual([]);
  });

  test.each([
    ['there is none', () => ({})],
    ['it is switched off', () => ({ ...bridge.config, bridge: { ...bridge.config.bridge, enabled: false } })],
  ])('when of the bridge %s', async (_name, config) => {
    expect(await capacityWorld({ config: config() }).warm()).toEqual({
      status: 'skipped',
      reason: 'Bridge is not active; warm_remote_capacity is a safe no-op',
      attempts: 1,
    });
    expect(bridge.calls).toEqual([]);
  });
});

describe('is skipped by what the bridge says of itself', () => {
  test.each([
    [
      'its policy, before anything else',
      { active: false, policy: { allowRemoteSessions: false }, preconditions: [{ name: 'login', ok: false }] },
      'Remote sessions are blocked by policy',
    ],
    [
      'it is not active, before its preconditions',
      { active: false, preconditions: [{ name: 'login', ok: false }] },
      'Bridge is not active; warm_remote_capacity is a safe no-op',
    ],
    [
      'preconditions, only those that are not met',
      {
        preconditions: [
          { name: 'login', ok: false, reason: 'nobody is logged in' },
          { name: 'quota', ok: true, reason: 'enough' },
          { name: 'git remote', ok: false },
        ],
      },
      'Remote warm-up preconditions failed: login (nobody is logged in), git remote',
    ],
  ])('%s', async (_name, said, reason) => {
    bridge.next(STATUS, status(said));
    const { warm, leases } = capacityWorld({ config: bridge.config });

    expect(await warm()).toEqual({ status: 'skipped', reason, attempts: 1 });
    expect(bridge.calls).toEqual([STATUS]);
    expect(leases).toEqual([]);
  });

  test('hostile reasons are shown as what they are, cut, and without secrets', async () => {
    const reason = `\u202Egnp.\u0007 password=hunter22 ${'x'.repeat(500)}`;
    bridge.next(STATUS, status({ preconditions: [{ name: 'login\n\nmore', ok: false, reason }] }));

    const report = await capacityWorld({ config: bridge.config }).warm();

    expect(report.reason).toMatch(
      /^Remote warm-up preconditions failed: login more \(\\u202egnp\.\\u0007 password=\[redacted\] x{100,200}…\)$/,
    );
  });
});

describe('the environment', () => {
  const none = 'No eligible remote environment available for warm-up';

  test.each([
    ['there is none', environments()],
    ['none is eligible', environments({ id: 'env-1', ready: 0, eligible: false })],
  ])('is missing: %s', async (_name, answer) => {
    bridge.next(LIST, answer);

    expect(await capacityWorld({ config: bridge.config }).warm()).toEqual({
      status: 'skipped',
      reason: none,
      attempts: 1,
    });
    expect(bridge.calls).toEqual([STATUS, LIST]);
  });

  test('is not made when the rule says not to', async () => {
    bridge.next(LIST, environments());

    const report = await capacityWorld({ config: bridge.config }).warm({ createDefaultEnvironmentIfMissing: false });

    expect(report.reason).toBe(none);
  });

  test('is made when it is missing and the rule says so', async () => {
    bridge.next(LIST, environments());

    const report = await capacityWorld({ config: bridge.config }).warm({ createDefaultEnvironmentIfMissing: true });

    expect(report.detail).toBe('Remote capacity warmed for environment env-1');
    expect(bridge.calls).toEqual([STATUS, LIST, CREATE, TAKE, LOOK]);
  });

  test('is not made when there is one', async () => {
    await capacityWorld({ config: bridge.config }).warm({ createDefaultEnvironmentIfMissing: true });

    expect(bridge.calls).not.toContain(CREATE);
  });

  test.each([
    [
      'the default one',
      [
        { id: 'a', ready: 0 },
        { id: 'env-1', ready: 0, default: true },
      ],
      'env-1',
    ],
    [
      'else the first',
      [
        { id: 'env-1', ready: 0 },
        { id: 'b', ready: 0 },
      ],
      'env-1',
    ],
    [
      'else the first that is eligible',
      [
        { id: 'a', ready: 0, default: true, eligible: false },
        { id: 'env-1', ready: 0 },
      ],
      'env-1',
    ],
  ])('is %s', async (_name, list, chosen) => {
    bridge.next(LIST, environments(...list));

    await capacityWorld({ config: bridge.config }).warm();

    expect(bridge.requests[0]?.body).toMatchObject({ environment: chosen });
  });
});

test('asks for what the rule says: how many, until when, under the effect key', async () => {
  const { warm, leases } = capacityWorld({ config: bridge.config });
  const before = Date.now();

  await warm({ ensure: 3, forMs: 60_000, effectKey: 'remediation/t/r/e/warm' });

  const { headers, body } = bridge.requests[0] ?? {};
  const [lease] = leases;
  expect(headers?.['idempotency-key']).toBe('remediation/t/r/e/warm');
  expect(body).toEqual({ environment: 'env-1', ensure: 3, until: new Date(lease?.untilAt ?? 0).toISOString() });
  expect(lease).toEqual({
    tenant: 'default',
    environment: 'env-1',
    ensure: 3,
    untilAt: lease?.untilAt,
    effectKey: 'remediation/t/r/e/warm',
    targetHash: expect.stringMatching(/^[a-z\d]+$/) as string,
  });
  expect(lease?.untilAt).toBeGreaterThanOrEqual(before + 60_000);
  expect(lease?.untilAt).toBeLessThanOrEqual(Date.now() + 60_000);
});
