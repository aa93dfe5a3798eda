import { describe, expect, test } from 'vitest';
import { createAccess } from '#client/gateway/access.js';
import { createGatewayMetrics } from '#client/gateway/gateway-metrics.js';
import { Readiness } from '#client/gateway/schemas/index.js';
import { ROLES } from '#contract/roles.js';
import { aToken, startTestGateway } from '../support/test-gateway.js';

test('/healthz says that the process is up, whatever else is not', async () => {
  const { app, mesh } = await startTestGateway();
  mesh.isReachable = false;

  expect((await app.inject('/healthz')).json()).toEqual({ status: 'ok', service: 'remediation-mesh' });
  expect((await app.inject({ method: 'HEAD', url: '/healthz' })).statusCode).toBe(200);
});

describe('/readyz', () => {
  test.each([
    ['everything', { isReachable: true, workers: 2, areValid: true }, 200, [true, true, true]],
    ['no server', { isReachable: false, workers: 0, areValid: true }, 503, [false, false, true]],
    ['no worker', { isReachable: true, workers: 0, areValid: true }, 503, [true, false, true]],
    ['broken rules', { isReachable: true, workers: 1, areValid: false }, 503, [true, true, false]],
  ])('with %s', async (_what, { isReachable, workers, areValid }, status, oks) => {
    const { app, mesh } = await startTestGateway({ areRulesValid: async () => areValid });
    Object.assign(mesh, { isReachable, workers });

    const answer = await app.inject('/readyz');

    const { ready, checks } = Readiness.parse(answer.json());
    expect({ status: answer.statusCode, ready, oks: checks.map(({ ok }) => ok) }).toEqual({
      ...{ status, ready: status === 200, oks },
    });
    for (const { ok, hint } of checks) expect(hint !== undefined).toBe(!ok);
  });

  test('asks Temporal once a second, however often it is asked', async () => {
    const { app, mesh, clock } = await startTestGateway();
    let asked = 0;
    mesh.health = async () => {
      asked += 1;
      return { isReachable: true, workers: 1 };
    };

    await Promise.all(Array.from({ length: 20 }, () => app.inject('/readyz')));
    expect(asked).toBe(1);
    clock.now += 1_000;
    await app.inject('/readyz');
    expect(asked).toBe(2);
  });
});

describe('/metrics', () => {
  test('counts what came and what was refused, by route patterns', async () => {
    const { app, clock } = await startTestGateway({ spooled: async () => 7 });
    await app.inject({ method: 'POST', url: '/v1/events', payload: [{ event: 'X' }, { event: 'X' }] });
    await app.inject({ method: 'POST', url: '/v1/events', payload: {} });
    await app.inject('/v1/events/some-id');
    await app.inject({ method: 'PURGE' as 'GET', url: '/wherever/it/"is"\\n' });
    clock.now += 1;

    const { headers, body } = await app.inject('/metrics');

    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    const lines = body.split('\n');
    for (const line of [
      'mesh_gateway_events_accepted_total{tenant="default"} 2',
      'mesh_gateway_requests_total{method="POST",route="/v1/events",status="202"} 1',
      'mesh_gateway_requests_total{method="POST",route="/v1/events",status="400"} 1',
      'mesh_gateway_requests_total{method="GET",route="/v1/events/:id",status="404"} 1',
      'mesh_gateway_requests_total{method="other",route="(none)",status="404"} 1',
      'mesh_gateway_refused_total{code="invalid-event"} 1',
      'mesh_gateway_refused_total{code="not-found"} 2',
      'mesh_gateway_request_seconds_count{route="/v1/events"} 2',
      'mesh_gateway_request_seconds_bucket{le="+Inf",route="/v1/events"} 2',
      'mesh_gateway_spooled_events 7',
      'mesh_gateway_events_waiting 0',
    ])
      expect(lines).toContain(line);
    expect(body).not.toMatch(/some-id|wherever/);
  });

  test('is the text format of Prometheus', async () => {
    const { app } = await startTestGateway();
    await app.inject('/healthz');

    const lines = (await app.inject('/metrics')).body.split('\n').filter((line) => line !== '');

    const types = new Map<string, string>();
    for (const line of lines) {
      const [, type, name = '', kind = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
      if (type === 'TYPE') types.set(name, kind);
      if (type !== undefined) continue;
      const [, family = '', value = ''] =
        /^([a-z_]+)(?:\{[a-z]+="[^"\n]*"(?:,[a-z]+="[^"\n]*")*\})? (\S+)$/.exec(line) ?? [];
      expect(Number(value), line).not.toBeNaN();
      expect(types.has(family) || types.has(family.replace(/_(bucket|sum|count)$/, '')), line).toBe(true);
    }
    expect([...types.values()].every((kind) => ['counter', 'gauge', 'histogram'].includes(kind))).toBe(true);
  });

  test('buckets count everything up to their bound', async () => {
    const world = {
      waiting: () => ({ events: 0, bytes: 0 }),
      spooled: async () => 0,
      connections: () => 0,
      startedAt: 0,
    };
    const { durations, render } = createGatewayMetrics(world);
    for (const seconds of [0.001, 0.02, 0.02, 99]) durations.observe({ route: '/x' }, seconds);

    const text = await render('default');

    expect(text).toContain('_bucket{le="0.01",route="/x"} 1\n');
    expect(text).toContain('_bucket{le="0.025",route="/x"} 3\n');
    expect(text).toContain('_bucket{le="10",route="/x"} 3\n');
    expect(text).toContain('_bucket{le="+Inf",route="/x"} 4\n');
  });

  test('shows a token the tenant it belongs to, and no other', async () => {
    const tokens = [aToken('acme', ROLES), aToken('rival', ROLES)];
    const { app } = await startTestGateway({ policy: { access: createAccess(tokens.map(({ known }) => known)) } });
    const [acme = '', rival = ''] = tokens.map(({ token }) => `Bearer ${token}`);
    for (const authorization of [acme, rival, rival])
      await app.inject({ method: 'POST', url: '/v1/events', headers: { authorization }, payload: { event: 'X' } });

    const { body } = await app.inject({ url: '/metrics', headers: { authorization: acme } });

    expect(body).toContain('mesh_gateway_events_accepted_total{tenant="acme"} 1');
    expect(body).not.toContain('rival');
  });
});

describe('the page at /docs', () => {
  test('is where the bare address leads, behind a proxy too', async () => {
    const { app } = await startTestGateway();

    const { statusCode, headers } = await app.inject('/');

    expect([statusCode, headers.location]).toEqual([302, 'docs']);
    expect((await app.inject({ url: '/', headers: { host: 'elsewhere.example' } })).statusCode).toBe(403);
  });

  test.each(['/docs', '/docs/'])('%s can be used offline: everything it asks for comes from here', async (url) => {
    const { app } = await startTestGateway();

    const page = await app.inject(url);

    expect(page.headers['content-type']).toContain('text/html');
    expect(page.headers['content-security-policy']).toContain("script-src 'self';");
    const parts = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part = '']) => part);
    expect(parts.length).toBeGreaterThan(4);
    for (const part of parts) {
      expect(part).not.toMatch(/^(https?:)?\/\//);
      expect((await app.inject(new URL(part, `http://localhost${url}`).pathname)).statusCode).toBe(200);
    }
    expect(page.body).not.toMatch(/<script>|\son\w+=/);
  });

  test('asks no other server whether the document is valid', async () => {
    const { app } = await startTestGateway();

    const { body } = await app.inject('/docs/static/swagger-initializer.js');

    expect(body).toContain('"validatorUrl":null');
  });

  test('what is not there is not found, like everywhere', async () => {
    const { app } = await startTestGateway();

    const answer = await app.inject('/docs/static/none.js');

    expect(answer.json()).toMatchObject({ status: 404, code: 'not-found' });
    expect((await app.inject('/docs/static/../../package.json')).statusCode).toBe(404);
    expect((await app.inject('/docs/static/%2e%2e/%2e%2e/package.json')).statusCode).toBe(404);
  });
});

test('every answer says that it is data, is not to be kept, and which request it was for', async () => {
  const { app } = await startTestGateway();

  for (const url of ['/healthz', '/v1/status', '/v1/events/none', '/nowhere', '/v1/pause', '/v1/events/%zz']) {
    const { headers } = await app.inject(url);
    expect(headers, url).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'x-request-id': expect.stringMatching(/^made-/),
    });
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers).not.toHaveProperty('server');
  }
});

test('the access log has one line per request, with the route and never the address', async () => {
  const { app, log } = await startTestGateway();

  await app.inject('/v1/remediations/my-rule/my-event?a=b');

  expect(log).toEqual([
    {
      ...{ level: 'info', message: 'request', method: 'GET', route: '/v1/remediations/:rule/:event', status: 404 },
      ...{ ms: expect.any(Number), requestId: 'made-1', tenant: 'default', events: undefined, code: 'not-found' },
    },
  ]);
});

test('a method that a route does not take is refused with those it takes', async () => {
  const { app } = await startTestGateway();

  for (const [method, url, allow] of [
    ['DELETE', '/v1/events', 'POST, GET, HEAD'],
    ['GET', '/v1/pause', 'POST'],
    ['PUT', '/v1/remediations/a/b', 'GET, HEAD'],
    ['POST', '/docs', 'GET, HEAD'],
    ['POST', '/openapi.json', 'GET, HEAD'],
  ] as const) {
    const answer = await app.inject({ method, url });
    expect(answer.json()).toMatchObject({ status: 405, code: 'method-not-allowed' });
    expect(answer.headers.allow).toBe(allow);
  }
  expect((await app.inject({ method: 'POST', url: '/openapiXjson' })).statusCode).toBe(404);
});
