import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  CapacityAnswer,
  EnvironmentAnswer,
  EnvironmentsAnswer,
  ReleaseAnswer,
  StatusAnswer,
} from '#activities/actions/warm-remote-capacity/targets/http-bridge.js';
import { createOutbound, type Outbound } from '#adapters/http/create-outbound.js';
import {
  contract,
  type Exchange,
  operationFor,
  operations,
  problemsOfExchange,
  schemaNamed,
} from '#test/support/bridge-contract.js';
import { capacityWorld } from '#test/support/capacity-world.js';
import { type ReferenceBridge, startReferenceBridge } from '#test/support/reference-bridge.js';

// config/examples/capacity-bridge.openapi.yaml, the bridge beside it, and the client of the mesh say the same.

const TOKEN = 'tok-5a8e4f0b9c';

let bridge: ReferenceBridge;

beforeAll(async () => {
  bridge = await startReferenceBridge(['--empty'], { CAPACITY_TOKEN: TOKEN });
});

afterAll(() => bridge.stop());

test('what the mesh sends and what the bridge answers is what the file says, and all of it', async () => {
  const { outbound, exchanges } = recording();
  const world = capacityWorld({
    config: { bridge: { url: bridge.url, token: '${env:TOKEN}' }, outbound: { privateHosts: ['127.0.0.1'] } },
    env: { TOKEN },
    outbound,
  });

  expect(await world.warm({ createDefaultEnvironmentIfMissing: true })).toMatchObject({ status: 'executed' });
  for (const lease of world.leases) expect(await world.release(lease)).toMatchObject({ status: 'executed' });

  expect(exchanges.flatMap(problemsOfExchange)).toEqual([]);
  expect(new Set(exchanges.map(({ request }) => operationFor(request)?.call))).toEqual(
    new Set(operations.map(({ call }) => call)),
  );
});

describe('the bridge refuses in the words of the file', () => {
  const headers = { authorization: `Bearer ${TOKEN}`, 'idempotency-key': 'k' };
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  const capacity = { environment: 'env-9', ensure: 1, until: inAnHour };

  test.each<[string, string, string, number, { headers?: Record<string, string>; body?: unknown }]>([
    ['GET', '/v1/status', 'without a token', 401, { headers: {} }],
    ['GET', '/v1/environments/env-9', 'that is not there', 404, {}],
    ['POST', '/v1/environments', 'of another kind', 400, { body: { default: false } }],
    ['POST', '/v1/environments', 'without a key', 400, { headers: { authorization: headers.authorization } }],
    ['POST', '/v1/capacity', 'that is no JSON', 400, { body: '{' }],
    ['POST', '/v1/capacity', 'of nothing', 400, { body: { ...capacity, ensure: 0 } }],
    ['POST', '/v1/capacity', 'until never', 400, { body: { ...capacity, until: 'never' } }],
    ['POST', '/v1/capacity', 'that is over', 400, { body: { ...capacity, until: '2020-01-01T00:00:00Z' } }],
    ['POST', '/v1/capacity', 'of an environment that is not there', 404, { body: capacity }],
    ['POST', '/v1/capacity', 'without a key', 400, { headers: { authorization: headers.authorization } }],
    ['POST', '/v1/release', 'of an environment that is not there', 404, { body: capacity }],
  ])('%s %s %s: %i', async (method, path, _name, status, { headers: own, body = {} }) => {
    const url = bridge.url + path;
    const written = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(url, { method, headers: own ?? headers, ...(method === 'POST' && { body: written }) });

    expect(response.status).toBe(status);
    const refusal = z.fromJSONSchema(schemaNamed('Refusal')).safeParse(await response.json());
    expect(refusal.success).toBe(true);
  });
});

test('the bridge has no routes but those of the file', async () => {
  const paths = Object.keys(contract.paths).map((path) => path.replace('{id}', 'env-1'));
  const calls = paths.flatMap((path) => ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => ({ method, path })));
  const missing: string[] = [];
  for (const { method, path } of calls) {
    const answer = await fetch(bridge.url + path, { method, headers: { authorization: `Bearer ${TOKEN}` } });
    const { message = '' } = (await answer.json()) as { message?: string };
    if (message === `there is no ${method} ${path}`) missing.push(`${method} ${path}`);
  }

  const listed = operations.map(({ call }) => call.replace('{id}', 'env-1'));
  expect(calls.map(({ method, path }) => `${method} ${path}`).filter((call) => !missing.includes(call))).toEqual(
    listed,
  );
});

test.each([
  ['Status', StatusAnswer],
  ['Environments', EnvironmentsAnswer],
  ['Environment', EnvironmentAnswer],
  ['Capacity', CapacityAnswer],
  ['Release', ReleaseAnswer],
])('%s: the mesh needs what the file requires, and reads nothing the file does not name', (name, schema) => {
  const read = z.toJSONSchema(schema, { io: 'input' });
  const written = schemaNamed(name);

  expect(read.required).toEqual(written['required']);
  expect(Object.keys(written['properties'] ?? {})).toEqual(expect.arrayContaining(Object.keys(read.properties ?? {})));
});

test('the file says of every request that changes something that a 409 is tried again', () => {
  const changing = operations.filter(({ call }) => call.startsWith('POST'));

  expect(changing).toHaveLength(3);
  for (const { answers } of changing) expect(Object.keys(answers)).toContain('409');
});

test('the file is OpenAPI 3.1, without a reference or a schema too many', () => {
  expect(contract).toMatchObject({ openapi: '3.1.0', info: { title: 'Capacity bridge' } });
  const referred = [...JSON.stringify(contract).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  expect(new Set(referred)).toEqual(new Set(Object.keys(contract.components.schemas)));
});

test.each(['env-1', 'Pool.a_b:c-1', '-x', '../x', 'a/b', 'a b', '', 'é', 'x'.repeat(200), 'x'.repeat(201)])(
  'the file and the mesh agree on whether %.20j can be an id',
  (id) => {
    const written = z.fromJSONSchema(schemaNamed('Capacity')).safeParse({ environment: id });

    expect(CapacityAnswer.safeParse({ environment: id }).success).toBe(written.success);
  },
);

/** The real way out, and what went through it. */
function recording(): { outbound: Outbound; exchanges: Exchange[] } {
  const exchanges: Exchange[] = [];
  const real = createOutbound();
  const outbound: Outbound = {
    async send(request, policy) {
      const answer = await real.send(request, policy);
      exchanges.push({ request, answer });
      return answer;
    },
    close: () => real.close(),
  };
  return { outbound, exchanges };
}
