import { describe, expect, test } from 'vitest';
import { createAccess } from '#client/gateway/access.js';
import { ROLES } from '#contract/roles.js';
import { aToken, startTestGateway, type TestGateway } from '../support/test-gateway.js';

type Headers = Record<string, string>;

function ask({ app }: TestGateway, headers: Headers, method: 'GET' | 'OPTIONS' = 'GET', url = '/v1/status') {
  return app.inject({ method, url, headers });
}

describe('the Host header, without tokens,', () => {
  test.each(['localhost', 'localhost:7280', 'LOCALHOST:1', '127.0.0.1', '127.0.0.1:7280', '127.9.9.9', '[::1]:7280'])(
    'may be %s',
    async (host) => {
      expect((await ask(await startTestGateway(), { host })).statusCode).toBe(200);
    },
  );

  test.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example:7280',
    '10.0.0.1',
    '[::2]',
    'a b',
    'x@localhost',
  ])('may not be %s', async (host) => {
    const answer = await ask(await startTestGateway(), { host });

    expect(answer.json()).toMatchObject({ status: 403, code: 'host-refused' });
  });

  test('may be a name that is allowed', async () => {
    const gateway = await startTestGateway({ policy: { allowedHosts: new Set(['mesh.test']) } });

    expect((await ask(gateway, { host: 'MESH.test.:8080' })).statusCode).toBe(200);
    expect((await ask(gateway, { host: 'localhost' })).statusCode).toBe(200);
    expect((await ask(gateway, { host: 'other.test' })).statusCode).toBe(403);
  });

  test('is not asked of probes', async () => {
    const gateway = await startTestGateway();

    expect((await ask(gateway, { host: '10.1.2.3:7280' }, 'GET', '/healthz')).statusCode).toBe(200);
    expect((await ask(gateway, { host: '10.1.2.3:7280' }, 'GET', '/docs')).statusCode).toBe(403);
  });
});

describe('the Host header, with tokens,', () => {
  async function start(allowedHosts: string[]) {
    const { token, known } = aToken('acme', ROLES);
    const policy = { access: createAccess([known]), allowedHosts: new Set(allowedHosts) };
    return { gateway: await startTestGateway({ policy }), authorization: `Bearer ${token}` };
  }

  test('may be anything unless there is a list', async () => {
    const { gateway, authorization } = await start([]);

    expect((await ask(gateway, { host: 'whatever.example', authorization })).statusCode).toBe(200);
  });

  test('must be in the list when there is one', async () => {
    const { gateway, authorization } = await start(['mesh.test']);

    expect((await ask(gateway, { host: 'mesh.test', authorization })).statusCode).toBe(200);
    expect((await ask(gateway, { host: 'localhost', authorization })).statusCode).toBe(403);
  });
});

const CONSOLE = 'https://console.test';

describe('the Origin header', () => {
  const start = () => startTestGateway({ policy: { allowedOrigins: new Set([CONSOLE]) } });

  test('may be absent: then no browser asks for a page', async () => {
    const { headers, statusCode } = await ask(await start(), {});

    expect(statusCode).toBe(200);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test('may be that of the page at /docs', async () => {
    const gateway = await start();

    expect((await ask(gateway, { host: '127.0.0.1:7280', origin: 'http://127.0.0.1:7280' })).statusCode).toBe(200);
  });

  test('may be an allowed one, whose page may read the answer, whatever it is', async () => {
    const gateway = await start();

    for (const url of ['/v1/status', '/v1/events/none', '/nowhere']) {
      const { headers } = await ask(gateway, { origin: CONSOLE }, 'GET', url);
      expect(headers).toMatchObject({ 'access-control-allow-origin': CONSOLE, vary: 'Origin' });
    }
  });

  test.each([
    'https://evil.example',
    'null',
    'http://console.test',
    'https://console.test.evil.example',
    'https://console.test:8443',
    'http://localhost:3000',
    'file://',
  ])('may not be %s', async (origin) => {
    const gateway = await start();
    const { headers, statusCode, body } = await gateway.app.inject({
      method: 'POST',
      url: '/v1/events',
      headers: { origin, host: 'localhost:7280' },
      payload: { event: 'X' },
    });

    expect({ statusCode, body }).toMatchObject({ statusCode: 403, body: expect.stringContaining('origin-refused') });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(gateway.mesh.stored).toEqual([]);
  });
});

describe('a preflight', () => {
  const start = async () => {
    const { known } = aToken('acme', ROLES);
    return startTestGateway({ policy: { access: createAccess([known]), allowedOrigins: new Set([CONSOLE]) } });
  };
  const PREFLIGHT = {
    origin: CONSOLE,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'Authorization, content-type,ce-id, x-evil',
  };

  test('of an allowed origin is answered without a token', async () => {
    const { headers, statusCode } = await ask(await start(), PREFLIGHT, 'OPTIONS', '/v1/events');

    expect(statusCode).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': CONSOLE,
      'access-control-allow-methods': 'POST, GET, HEAD',
      'access-control-allow-headers': 'authorization, content-type, ce-id',
    });
  });

  test('of another one is refused', async () => {
    const answer = await ask(await start(), { ...PREFLIGHT, origin: 'https://evil.example' }, 'OPTIONS', '/v1/events');

    expect(answer.json()).toMatchObject({ status: 403, code: 'origin-refused' });
  });

  test('for what is not there is not found, and OPTIONS alone is no method', async () => {
    const gateway = await start();

    expect((await ask(gateway, PREFLIGHT, 'OPTIONS', '/nowhere')).statusCode).toBe(404);
    expect((await ask(gateway, {}, 'OPTIONS', '/v1/events')).statusCode).toBe(405);
  });
});
