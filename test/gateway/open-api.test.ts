import { describe, expect, test } from 'vitest';
import { openApiDocument, problemsOfRoute } from '#client/gateway/open-api.js';
import { PROBLEM_CODES, type ProblemCode } from '#client/gateway/problem-codes.js';
import { ROUTES } from '#client/gateway/routes/index.js';
import { startTestGateway } from '../support/test-gateway.js';

interface Operation {
  operationId: string;
  tags: string[];
  description: string;
  security: object[];
  'x-role'?: string;
  parameters?: { name: string; in: string; required: boolean; schema: object }[];
  responses: Record<string, { description: string; content: Record<string, { schema: object }> }>;
}

const document = JSON.parse(JSON.stringify(openApiDocument(ROUTES, '1.2.3')));
const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

test('is served, with the version of the package', async () => {
  const { app } = await startTestGateway();

  const served = (await app.inject('/openapi.json')).json();

  expect(served).toEqual({ ...document, info: { ...document.info, version: served.info.version } });
  expect(served.info.version).toMatch(/^\d+\.\d+\.\d+/);
  expect((await app.inject('/docs/json')).json()).toEqual(served);
});

test('lists every route the server has, and no other', async () => {
  const { app } = await startTestGateway();

  const listed = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`);

  // HEAD goes with every GET; the page at /docs, its files and the way there are no interface.
  const registered = routesIn(app.printRoutes({ commonPrefix: false }))
    .filter((route) => !/^HEAD | \/docs| \/$/.test(route))
    .map((route) => route.replace(/:(\w+)/g, '{$1}'));
  expect(registered.sort()).toEqual(listed.sort());
});

test('is OpenAPI 3.1 in its shape', () => {
  expect(document).toMatchObject({ openapi: '3.1.0', info: { title: expect.any(String), version: '1.2.3' } });
  expect(Object.keys(document.paths).every((path) => path.startsWith('/'))).toBe(true);
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const tags = document.tags.map(({ name }: { name: string }) => name);
  for (const { operation } of operations) expect(tags).toContain(operation.tags[0]);
});

describe.each(operations)('$method $path', ({ path, operation }) => {
  test('has parameters for what its path needs, each of them once', () => {
    const parameters = operation.parameters ?? [];
    const inPath = parameters.filter((one) => one.in === 'path');

    expect(inPath.map(({ name }) => name)).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    expect(inPath.every(({ required }) => required)).toBe(true);
    for (const one of parameters) expect(one.schema).toBeTypeOf('object');
    expect(new Set(parameters.map((one) => `${one.in} ${one.name}`)).size).toBe(parameters.length);
  });

  test('describes every answer, with a schema', () => {
    expect(Object.keys(operation.responses).some((status) => status.startsWith('2'))).toBe(true);
    for (const [status, answer] of Object.entries(operation.responses)) {
      expect(status).toMatch(/^[2-5]\d\d$/);
      expect(answer.description).not.toBe('');
      for (const media of Object.values(answer.content)) expect(media.schema).toBeTypeOf('object');
    }
  });

  test('says who may call it', () => {
    expect(operation.description).toMatch(/Needs no token\.$|Needs the role `(report|read|operate)`\.$/);
    expect(operation.security).toEqual(operation['x-role'] === undefined ? [] : [{ token: [] }]);
  });
});

test('every reference leads somewhere, and everything that has a name is referred to', () => {
  const text = JSON.stringify(document);
  const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name = '']) => name);

  expect([...text.matchAll(/"\$ref"/g)]).toHaveLength(references.length);
  expect([...new Set(references)].filter((name) => !(name in document.components.schemas))).toEqual([]);
  expect(Object.keys(document.components.schemas).filter((name) => !references.includes(name))).toEqual([]);
});

test('no schema carries an address of its own, which would change what references mean', () => {
  expect(JSON.stringify(document)).not.toMatch(/"\$id"|"\$schema"|"\$defs"/);
});

test('every code can be the answer to some route, or comes before there is one', () => {
  const beforeRouting: ProblemCode[] = ['malformed-http', 'headers-too-large', 'method-not-allowed', 'not-found'];
  const codes = new Set([...ROUTES.flatMap(problemsOfRoute), ...beforeRouting]);

  expect([...codes].sort()).toEqual(Object.keys(PROBLEM_CODES).sort());
});

test('says of each route what it can really answer with', () => {
  const problemsBy = new Map(ROUTES.map((route) => [route.id, problemsOfRoute(route)]));
  const saying = (code: ProblemCode) => [...problemsBy].filter(([, codes]) => codes.includes(code)).map(([id]) => id);
  const all = ROUTES.map(({ id }) => id);
  const but = (...ids: string[]) => all.filter((id) => !ids.includes(id));

  expect(saying('not-taken')).toEqual(but('listEvents', 'healthz', 'readyz', 'metrics', 'openApi'));
  expect(saying('config-unavailable')).toEqual(but('healthz', 'readyz'));
  expect(saying('host-refused')).toEqual(but('healthz', 'readyz'));
  expect(saying('invalid-request')).toEqual(but('getStatus', 'healthz', 'readyz', 'metrics', 'openApi'));
});

test('is not made again for each who asks', async () => {
  const { app } = await startTestGateway();
  await app.inject('/openapi.json');
  // The time of this process only: the machine may be busy with other tests.
  const cpuMsOf = async (work: () => unknown) => {
    const before = process.cpuUsage();
    for (let index = 0; index < 20; index++) await work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };

  const madeMs = await cpuMsOf(() => openApiDocument(ROUTES, '1.2.3'));
  const servedMs = await cpuMsOf(() => app.inject('/openapi.json'));

  expect(servedMs).toBeLessThan(madeMs);
});

/** Reads the tree that Fastify draws, in which every line continues the path of the line it hangs on. */
function routesIn(tree: string): string[] {
  const above: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods] = /^([│ ]*)[├└]── (\S+)(?: \(([^)]+)\))?/.exec(line) ?? [];
    if (part === '') return [];
    above.splice(indent.length / 4, Infinity, part);
    return (methods?.split(', ') ?? []).map((method) => `${method} ${above.join('')}`);
  });
}
