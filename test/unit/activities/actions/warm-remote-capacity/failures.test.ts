import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type BridgeServer, startBridgeServer } from '#test/support/bridge-server.js';
import { capacityWorld } from '#test/support/capacity-world.js';
import { TEST_CA } from '#test/support/certificates.js';
import { eventually } from '#test/support/eventually.js';
import { startHttpTarget } from '#test/support/http-target.js';

let bridge: BridgeServer;

beforeEach(async () => {
  bridge = await startBridgeServer();
});

afterEach(() => bridge.close());

const STATUS = 'GET /v1/status';
const LIST = 'GET /v1/environments';
const CREATE = 'POST /v1/environments';
const TAKE = 'POST /v1/capacity';
const LOOK = 'GET /v1/environments/env-1';

const UNAVAILABLE = { status: 'skipped', reason: 'Bridge status unavailable; warm_remote_capacity skipped' };

async function failureOf(report: Promise<unknown>): Promise<ApplicationFailure> {
  const error: unknown = await report.then(
    (done) => done,
    (failed: unknown) => failed,
  );
  expect(error).toBeInstanceOf(ApplicationFailure);
  return error as ApplicationFailure;
}

describe('a bridge whose status cannot be had', () => {
  test('because nothing is there: skipped, with what was found as detail', async () => {
    const { config } = bridge;
    await bridge.close();

    const report = await capacityWorld({ config }).warm();

    expect(report).toMatchObject(UNAVAILABLE);
    expect(report.detail).toContain('ECONNREFUSED');
  });

  test('is asked twice', async () => {
    bridge.next(STATUS, { status: 500 }, { status: 503, body: { message: 'in maintenance' } });

    expect(await capacityWorld({ config: bridge.config }).warm()).toEqual({
      ...UNAVAILABLE,
      detail: 'the bridge answered 503: in maintenance',
      attempts: 1,
    });
    expect(bridge.calls).toEqual([STATUS, STATUS]);
  });

  test('the first time is warmed at the second', async () => {
    bridge.next(STATUS, { status: 500 });

    expect(await capacityWorld({ config: bridge.config }).warm()).toMatchObject({ status: 'executed' });
  });

  test.each([
    ['refuses for good', { status: 401 }, 'the bridge answered 401'],
    ['says something else', { status: 200, body: { status: 'green' } }, /expected active to be true or false$/],
    ['wants to be asked much later', { status: 429, headers: { 'retry-after': '60' } }, 'the bridge answered 429'],
  ])('because it %s is asked once', async (_name, answer, detail) => {
    bridge.next(STATUS, answer);

    const report = await capacityWorld({ config: bridge.config }).warm();

    expect(report).toMatchObject(UNAVAILABLE);
    expect(report.detail).toMatch(detail);
    expect(bridge.calls).toEqual([STATUS]);
  });

  test('because it never answers: the time limit of the action ends it', async () => {
    bridge.next(STATUS, 'hang');

    expect(await capacityWorld({ config: bridge.config }).warm({ timeoutMs: 300 })).toMatchObject({
      ...UNAVAILABLE,
      detail: 'no answer within 300ms',
    });
  });

  test('because its address is private and not named', async () => {
    const report = await capacityWorld({ config: { bridge: bridge.config.bridge } }).warm();

    expect(report).toMatchObject(UNAVAILABLE);
    expect(report.detail).toContain('name the host in outbound.privateHosts');
    expect(bridge.calls).toEqual([]);
  });
});

describe('TLS', () => {
  async function tlsWorld(certificate: 'localhost' | 'wrong-host', ca?: string) {
    const server = await startHttpTarget({ certificate });
    onTestFinished(() => server.close());
    server.answer({ body: JSON.stringify({ active: false }) });
    const world = capacityWorld({
      config: {
        bridge: { url: server.url, ...(ca !== undefined && { ca: '${file:ca.pem}' }) },
        outbound: { privateHosts: ['127.0.0.1'] },
      },
    });
    if (ca !== undefined) writeFileSync(join(world.folder, 'ca.pem'), ca);
    return { ...world, server };
  }

  test('with a certificate that nobody trusts: skipped, nothing is sent', async () => {
    const { warm, server } = await tlsWorld('localhost');

    const report = await warm();

    expect(report).toMatchObject(UNAVAILABLE);
    expect(report.detail).toContain('the TLS certificate is not trusted');
    expect(server.requests).toEqual([]);
  });

  test('with a certificate for another name, however trusted', async () => {
    const { warm, server } = await tlsWorld('wrong-host', TEST_CA);

    expect((await warm()).detail).toContain('the TLS certificate is not trusted');
    expect(server.requests).toEqual([]);
  });

  test('with the authority that the configuration names', async () => {
    const { warm } = await tlsWorld('localhost', TEST_CA);

    expect((await warm()).reason).toBe('Bridge is not active; warm_remote_capacity is a safe no-op');
  });
});

describe('after the status, an error fails the attempt', () => {
  test.each([
    [LIST, { status: 500 }, 'the bridge answered 500'],
    [LIST, 'reset' as const, 'other side closed'],
    [TAKE, { status: 503, body: { message: 'no machines left' } }, 'the bridge answered 503: no machines left'],
    [TAKE, { status: 408 }, 'the bridge answered 408'],
    [TAKE, { status: 409, body: { message: 'in progress' } }, 'the bridge answered 409: in progress'],
    [TAKE, 'reset' as const, 'other side closed'],
  ])('%s answered with %o: to be tried again', async (call, answer, reason) => {
    bridge.next(call, answer);

    const failed = await failureOf(capacityWorld({ config: bridge.config }).warm());

    expect(failed).toMatchObject({ type: 'bridge-failed', nonRetryable: false });
    expect(failed.message).toMatch(/^Remote warm-up failed: /);
    expect(failed.message).toContain(reason);
  });

  test.each([
    [LIST, { status: 403 }, 'the bridge answered 403'],
    [TAKE, { status: 400, body: { message: 'ensure is too much' } }, 'the bridge answered 400: ensure is too much'],
    [TAKE, { status: 404 }, 'the bridge answered 404'],
    [TAKE, { status: 302, headers: { location: 'http://169.254.169.254/' } }, 'no further redirect is followed'],
    [LOOK, { status: 404 }, 'the bridge answered 404'],
    [LIST, { status: 200, body: [] }, 'expected the answer to be an object'],
    [LIST, { status: 200, body: { environments: [{ id: '../x', ready: 1 }] } }, 'environments[0].id to be an id'],
    [LOOK, { status: 200, body: { id: 'env-1', ready: 'yes' } }, 'expected ready to be a whole number'],
    [
      LOOK,
      { status: 200, body: { id: 'env-2', ready: 9 } },
      'the bridge answered for environment env-2, not for env-1',
    ],
  ])('%s answered with %o: for good', async (call, answer, reason) => {
    bridge.next(call, answer);

    const failed = await failureOf(capacityWorld({ config: bridge.config }).warm());

    expect(failed).toMatchObject({ type: 'bridge-refused', nonRetryable: true });
    expect(failed.message).toMatch(/^Remote warm-up failed: /);
    expect(failed.message).toContain(reason);
  });

  test('409 to making the environment: to be tried again, since the same request may still be worked on', async () => {
    bridge.next(LIST, { status: 200, body: { environments: [] } });
    bridge.next(CREATE, { status: 409, headers: { 'retry-after': '3' }, body: { message: 'in progress' } });
    const { warm } = capacityWorld({ config: bridge.config });

    const failed = await failureOf(warm({ createDefaultEnvironmentIfMissing: true }));

    expect(failed).toMatchObject({ type: 'bridge-failed', nonRetryable: false, nextRetryDelay: 3_000 });
    expect(failed.message).toBe('Remote warm-up failed: the bridge answered 409: in progress');
  });

  test('409 to looking: for good, since nothing is being worked on', async () => {
    bridge.next(LIST, { status: 409 });

    expect(await failureOf(capacityWorld({ config: bridge.config }).warm())).toMatchObject({ nonRetryable: true });
  });

  test('429: to be tried again when the bridge says', async () => {
    bridge.script.push({ status: 429, headers: { 'retry-after': '7' } });

    const failed = await failureOf(capacityWorld({ config: bridge.config }).warm());

    expect(failed).toMatchObject({ nonRetryable: false, nextRetryDelay: 7_000 });
  });

  test('500 and then capacity: the next attempt has the same key', async () => {
    bridge.script.push({ status: 500 });
    const { warm } = capacityWorld({ config: bridge.config });

    await failureOf(warm());

    expect(await warm()).toMatchObject({ status: 'executed' });
    expect(new Set(bridge.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  test('no answer: after the time limit of the action', async () => {
    bridge.script.push('hang');

    const failed = await failureOf(capacityWorld({ config: bridge.config }).warm({ timeoutMs: 2_000 }));

    expect(failed.message).toBe('Remote warm-up failed: no answer within 2000ms');
    expect(failed).toMatchObject({ type: 'bridge-failed', nonRetryable: false });
  });
});

describe('what is not ready is never called warm', () => {
  test('an environment that stays at 0', async () => {
    const cold = { status: 200, body: { id: 'env-1', ready: 0 } };
    bridge.next(LOOK, ...Array.from({ length: 20 }, () => cold));

    const failed = await failureOf(capacityWorld({ config: bridge.config }).warm({ ensure: 2, timeoutMs: 3_000 }));

    expect(failed.message).toBe('Remote warm-up failed: environment env-1 has 0 of 2 ready within 3000ms');
    expect(failed.nonRetryable).toBe(false);
  });

  test('an environment that has fewer than asked for, until it has them', async () => {
    const has = (ready: number) => ({ status: 200, body: { id: 'env-1', ready } });
    bridge.next(LOOK, has(0), has(1), has(2));

    expect(await capacityWorld({ config: bridge.config }).warm({ ensure: 2 })).toMatchObject({ status: 'executed' });
    expect(bridge.calls.filter((call) => call === LOOK)).toHaveLength(3);
  });

  test('one look that fails is no end', async () => {
    bridge.next(LOOK, { status: 502 }, 'reset');

    expect(await capacityWorld({ config: bridge.config }).warm()).toMatchObject({ status: 'executed' });
  });
});

describe('secrets', () => {
  const token = 'tok-5a8e4f0b9c';

  function worldWith(written: string, env: Record<string, string>) {
    return capacityWorld({ config: { ...bridge.config, bridge: { ...bridge.config.bridge, token: written } }, env });
  }

  test('the token goes along with every call', async () => {
    const { warm } = worldWith('${env:CAPACITY_TOKEN}', { CAPACITY_TOKEN: token });

    await warm();

    expect(bridge.requests[0]?.headers.authorization).toBe(`Bearer ${token}`);
  });

  test('it stands in no failure, not even when the bridge says it', async () => {
    const { warm } = worldWith('${env:CAPACITY_TOKEN}', { CAPACITY_TOKEN: token });
    bridge.script.push({ status: 401, body: { message: `token ${token} has expired` } });

    const failed = await failureOf(warm());

    expect(failed.message).toBe('Remote warm-up failed: the bridge answered 401: token *** has expired');
    expect(JSON.stringify([failed.details, failed.cause, failed.stack])).not.toContain(token);
  });

  test('one that is not there fails the attempt, and may be there at the next', async () => {
    const failed = await failureOf(worldWith('${env:CAPACITY_TOKEN}', {}).warm());

    expect(failed.message).toBe(
      'Remote warm-up failed: the token of the bridge cannot be read: environment variable CAPACITY_TOKEN is not set',
    );
    expect(failed.nonRetryable).toBe(false);
    expect(bridge.calls).toEqual([]);
  });
});

test.each([STATUS, LIST, TAKE, LOOK])('cancelled during %s: over at once', async (call) => {
  bridge.next(call, 'hang');
  const { report, cancel } = capacityWorld({ config: bridge.config }).startWarming();
  report.catch(() => undefined);
  await eventually(call, () => (bridge.calls.includes(call) ? true : undefined));
  const before = Date.now();

  cancel();

  await expect(report).rejects.toBeInstanceOf(CancelledFailure);
  // By which the workflow knows that an attempt was there.
  await expect(report).rejects.toMatchObject({ details: [{ attempts: 1 }] });
  expect(Date.now() - before).toBeLessThan(5_000);
});

test('cancelled between two looks: over at once', async () => {
  const cold = { status: 200, body: { id: 'env-1', ready: 0 } };
  bridge.next(LOOK, ...Array.from({ length: 20 }, () => cold));
  const { report, cancel } = capacityWorld({ config: bridge.config }).startWarming();
  report.catch(() => undefined);
  await eventually('third look', () => (bridge.calls.filter((call) => call === LOOK).length >= 3 ? true : undefined));

  cancel();

  await expect(report).rejects.toBeInstanceOf(CancelledFailure);
});
