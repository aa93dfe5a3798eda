import { describe, expect, test } from 'vitest';
import { createAccess, makeToken } from '#client/gateway/access.js';
import { ROUTES } from '#client/gateway/routes/index.js';
import { ROLES } from '#contract/roles.js';
import { aToken, startTestGateway, type TestGateway } from '../support/test-gateway.js';

function get({ app }: TestGateway, url: string, authorization?: string) {
  return app
    .inject({ method: 'GET', url, headers: authorization === undefined ? {} : { authorization } })
    .then((answer) => ({ status: answer.statusCode, headers: answer.headers, body: answer.json() }));
}

describe('without tokens', () => {
  test('everybody on this machine may do everything, for tenant default', async () => {
    const gateway = await startTestGateway();

    expect(await get(gateway, '/v1/status')).toMatchObject({ status: 200, body: { tenant: 'default' } });
    expect(await get(gateway, '/v1/status', 'Bearer left-over-from-before')).toMatchObject({ status: 200 });
  });

  test('nobody may do anything when the gateway listens beyond this machine, but probes go on', async () => {
    const gateway = await startTestGateway({ isLoopback: false });

    expect(await get(gateway, '/v1/status')).toMatchObject({ status: 503, body: { code: 'config-unavailable' } });
    expect(await get(gateway, '/healthz')).toMatchObject({ status: 200 });
    expect(await get(gateway, '/readyz')).toMatchObject({ status: 200 });
  });
});

test('when the configuration was never good, nobody may do anything', async () => {
  const gateway = await startTestGateway({ policy: { unusable: 'it is broken' } });

  const answer = await get(gateway, '/v1/status');

  expect(answer).toMatchObject({ status: 503, body: { code: 'config-unavailable', detail: 'it is broken' } });
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect(await get(gateway, '/healthz')).toMatchObject({ status: 200 });
});

describe('with tokens', () => {
  async function start() {
    const { token, known } = aToken('acme', ['read']);
    const gateway = await startTestGateway({ isLoopback: false, policy: { access: createAccess([known]) } });
    return { gateway, token, known };
  }

  test('the mistakes of a file that all tenants share are told to none of them', async () => {
    const { gateway, token } = await start();

    const { body } = await get(gateway, '/v1/status', `Bearer ${token}`);

    expect((body as { configTrouble: unknown }).configTrouble).toEqual({ hasGoodVersion: true, sinceAt: 1, seenAt: 2 });
  });

  test('a known one lets in', async () => {
    const { gateway, token } = await start();

    expect(await get(gateway, '/v1/status', `Bearer ${token}`)).toMatchObject({
      status: 200,
      body: { tenant: 'acme' },
    });
    expect(await get(gateway, '/v1/status', `bearer  ${token}`)).toMatchObject({ status: 200 });
  });

  test.each([
    ['none', undefined],
    ['nothing', ''],
    ['an empty one', 'Bearer '],
    ['an unknown one', `Bearer ${makeToken().token}`],
    ['another scheme', 'Basic YTpi'],
    ['no scheme', makeToken().token],
    ['spaces', 'Bearer a b'],
    ['a very long one', `Bearer ${'x'.repeat(5_000)}`],
  ])('%s does not', async (_what, authorization) => {
    const { gateway } = await start();

    const answer = await get(gateway, '/v1/status', authorization);

    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
  });

  test('the hash of a token is no token', async () => {
    const { gateway, known } = await start();

    expect(await get(gateway, '/v1/status', `Bearer ${known.sha256[0]}`)).toMatchObject({ status: 401 });
  });

  test('two are good while one replaces the other, and an edit takes effect without a restart', async () => {
    const { gateway, token, known } = await start();
    const next = makeToken();
    const status = async (shown: string) => (await get(gateway, '/v1/status', `Bearer ${shown}`)).status;

    expect([await status(token), await status(next.token)]).toEqual([200, 401]);
    gateway.policy.access = createAccess([{ ...known, sha256: [...known.sha256, next.sha256] }]);
    expect([await status(token), await status(next.token)]).toEqual([200, 200]);
    gateway.policy.access = createAccess([{ ...known, sha256: [next.sha256] }]);
    expect([await status(token), await status(next.token)]).toEqual([401, 200]);
  });

  test('that vanish in an edit leave nobody in, rather than everybody', async () => {
    const { gateway, token } = await start();

    gateway.policy.access = createAccess([]);

    expect(await get(gateway, '/v1/status', `Bearer ${token}`)).toMatchObject({
      status: 503,
      body: { code: 'config-unavailable' },
    });
  });

  test('neither token nor header is logged', async () => {
    const { gateway, token } = await start();
    await get(gateway, '/v1/status?token=in-the-query', `Bearer ${token}`);
    await get(gateway, '/v1/status', 'Bearer mesh_not-this-one');

    expect(gateway.log).toHaveLength(2);
    expect(JSON.stringify(gateway.log)).not.toMatch(/mesh_|Bearer|in-the-query/);
  });
});

describe.each(ROLES)('a token with the role %s alone', (role) => {
  test.each(ROUTES.filter((route) => route.role !== 'none'))('and $method $path', async (route) => {
    const { token, known } = aToken('acme', [role]);
    const { app } = await startTestGateway({ policy: { access: createAccess([known]) } });

    const { statusCode, body } = await app.inject({
      method: route.method,
      url: route.path.replace(/:\w+/g, 'some'),
      headers: { authorization: `Bearer ${token}` },
    });

    if (route.role === role) expect([401, 403]).not.toContain(statusCode);
    else expect({ statusCode, body }).toMatchObject({ statusCode: 403, body: expect.stringContaining(route.role) });
  });
});

test.each(ROUTES.filter((route) => route.role === 'none'))('$path needs no token', async ({ path }) => {
  const { known } = aToken('acme', ROLES);
  const { app } = await startTestGateway({ policy: { access: createAccess([known]) } });

  expect((await app.inject(path)).statusCode).toBe(200);
});
