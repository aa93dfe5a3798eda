import { expect, test } from 'vitest';
import { createAccess } from '#client/gateway/access.js';
import { TokenBucket } from '#client/gateway/rate-limits.js';
import { ROLES } from '#contract/roles.js';
import { aToken, startTestGateway } from '../support/test-gateway.js';

async function start(eventsPerSecond: number) {
  const tokens = { acme: aToken('acme', ROLES), rival: aToken('rival', ROLES) };
  const access = createAccess(Object.values(tokens).map(({ known }) => known));
  const gateway = await startTestGateway({ policy: { access, eventsPerSecond } });
  const report = (tenant: 'acme' | 'rival', count: number, body?: string) =>
    gateway.app.inject({
      method: 'POST',
      url: '/v1/events',
      headers: { authorization: `Bearer ${tokens[tenant].token}`, 'content-type': 'application/json' },
      body: body ?? JSON.stringify(Array.from({ length: count }, () => ({ event: 'X' }))),
    });
  return { gateway, report, headers: { authorization: `Bearer ${tokens.acme.token}` } };
}

test('a tenant that sends more than its limit waits, and no other one with it', async () => {
  const { gateway, report } = await start(10);

  expect((await report('acme', 20)).statusCode).toBe(202);
  const refused = await report('acme', 1);
  expect(refused.json()).toMatchObject({ status: 429, code: 'rate-limited' });
  expect(refused.headers['retry-after']).toBe('1');
  expect((await report('rival', 20)).statusCode).toBe(202);
  expect(gateway.mesh.stored).toHaveLength(40);

  gateway.clock.now += 1_000;
  expect((await report('acme', 1)).statusCode).toBe(202);
});

test('an array larger than all that may come at once gets through, and is paid for afterwards', async () => {
  const { gateway, report } = await start(10);

  expect((await report('acme', 120)).statusCode).toBe(202);
  expect((await report('acme', 1)).headers['retry-after']).toBe('11');
  gateway.clock.now += 10_100;
  expect((await report('acme', 1)).statusCode).toBe(202);
});

test('what is refused counts too', async () => {
  const { report } = await start(1);

  expect((await report('acme', 0, 'no json')).statusCode).toBe(400);
  expect((await report('acme', 0, '[{},{}]')).statusCode).toBe(400);
  expect((await report('acme', 1)).statusCode).toBe(429);
});

test('an edit of the limit holds from the next request on', async () => {
  const { gateway, report } = await start(1);
  await report('acme', 10);
  expect((await report('acme', 1)).statusCode).toBe(429);

  gateway.policy.eventsPerSecond = 100;

  expect((await report('acme', 1)).statusCode).toBe(202);
});

test('other requests have a limit of their own', async () => {
  const { gateway, report, headers } = await start(10);
  const ask = () => gateway.app.inject({ url: '/v1/status', headers });

  for (let index = 0; index < 200; index++) expect((await ask()).statusCode).toBe(200);

  expect((await ask()).headers['retry-after']).toBe('1');
  expect((await report('acme', 1)).statusCode).toBe(202);
  expect((await gateway.app.inject('/healthz')).statusCode).toBe(200);
});

test('a bucket fills with time, up to its size, and never locks when the clock is set back', () => {
  const bucket = new TokenBucket(10, 2, 1_000);
  bucket.take(20, 1_000);
  expect(bucket.waitMs(1_000)).toBeGreaterThan(0);
  expect(bucket.waitMs(1_100)).toBe(0);
  expect(bucket.waitMs(0)).toBe(0);
  bucket.take(21, 0);
  expect(bucket.waitMs(0)).toBeGreaterThan(1_900);
  expect(bucket.waitMs(2_100)).toBe(0);
  expect(bucket.waitMs(1_000_000)).toBe(0);
  bucket.take(20, 1_000_000);
  expect(bucket.waitMs(1_000_000)).toBeGreaterThan(0);
});
