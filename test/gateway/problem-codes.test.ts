import type { InjectOptions } from 'fastify';
import { expect, test } from 'vitest';
import { MeshError, NotStoredError } from '#client/errors.js';
import { createAccess } from '#client/gateway/access.js';
import { PROBLEM_CODES, type ProblemCode } from '#client/gateway/problem-codes.js';
import { ProblemAnswer } from '#client/gateway/schemas/index.js';
import { stopGateway } from '#client/gateway/stop-gateway.js';
import { listen, listening, openRaw, readAnswer } from '../support/raw-http.js';
import { aToken, startTestGateway, type TestGateway, type TestGatewayOptions } from '../support/test-gateway.js';

interface Provoked {
  status: number;
  type: string;
  body: unknown;
}

const EVENT = { method: 'POST', url: '/v1/events', payload: { event: 'X' } } as const;

/** What a caller, or the world, does to get each of the codes. */
const PROVOCATIONS: Record<ProblemCode, () => Promise<Provoked>> = {
  'malformed-http': () => raw('hello\r\n\r\n'),
  'invalid-json': () => inject({ ...EVENT, headers: { 'content-type': 'application/json' }, payload: '{' }),
  'invalid-event': () => inject({ ...EVENT, payload: {} }),
  'invalid-request': () => inject({ url: '/v1/remediations?limit=none' }),
  unauthorized: () =>
    inject({ url: '/v1/status' }, { policy: { access: createAccess([aToken('a', ['read']).known]) } }),
  forbidden: () => inject({ ...EVENT, payload: { event: 'X', tenant: 'rival' } }),
  'host-refused': () => inject({ url: '/v1/status', headers: { host: 'evil.example' } }),
  'origin-refused': () => inject({ url: '/v1/status', headers: { origin: 'https://evil.example' } }),
  'not-found': () => inject({ url: '/nowhere' }),
  'method-not-allowed': () => inject({ method: 'DELETE', url: '/v1/events' }),
  'request-timeout': () => raw('GET / HTTP/1.1\r\n', { limits: { headersWithinMs: 100, requestWithinMs: 200 } }),
  conflict: () => failing(new MeshError('conflict', 'it has ended already')),
  'too-large': () => inject(EVENT, { limits: { bodyBytes: 2 } }),
  'unsupported-media-type': () => inject({ ...EVENT, headers: { 'content-type': 'text/plain' }, payload: 'x' }),
  'rate-limited': () =>
    inject({ url: '/v1/status' }, { limits: { requestsPerSecond: 1 } }, async ({ app }) => {
      for (let index = 0; index < 2; index++) await app.inject('/v1/status');
    }),
  'headers-too-large': () => raw(`GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
  internal: () => failing(new TypeError('not foreseen')),
  'not-taken': () => failing(new NotStoredError('refused', ['a'], [])),
  unavailable: () => failing(new NotStoredError('unreachable', ['a'], [])),
  'watch-full': () => failing(new NotStoredError('watch-full', ['a'], [])),
  'too-many-waiting': () => failing(new NotStoredError('too-many-waiting', ['a'], [])),
  'no-worker': () => failing(new MeshError('no-worker', 'no worker answers')),
  'no-record': () =>
    inject(
      { url: '/v1/events' },
      { record: { list: () => Promise.reject(new MeshError('no-record', 'there is none')) } },
    ),
  'config-unavailable': () => inject({ url: '/v1/status' }, { isLoopback: false }),
  'too-many-connections': () => raw('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', { limits: { connections: 0 } }),
  stopping: stopped,
};

test.each(Object.entries(PROBLEM_CODES))('%s is answered as its entry says', async (code, { status }) => {
  const provoked = await PROVOCATIONS[code as ProblemCode]();

  expect(provoked).toMatchObject({ status, type: expect.stringContaining('application/problem+json') });
  const problem = ProblemAnswer.parse(provoked.body);
  expect(problem).toMatchObject({ type: `urn:remediation-mesh:${code}`, code, status });
  expect(problem.detail).not.toBe('');
  expect(problem.requestId).not.toBe('');
});

type Request = InjectOptions;

async function inject(request: Request, options: TestGatewayOptions = {}, before?: (gateway: TestGateway) => unknown) {
  const gateway = await startTestGateway(options);
  await before?.(gateway);
  const answer = await gateway.app.inject(request);
  return { status: answer.statusCode, type: String(answer.headers['content-type']), body: answer.json() };
}

function failing(failure: Error): Promise<Provoked> {
  return inject(EVENT, {}, ({ mesh }) => (mesh.failure = failure));
}

async function raw(text: string, options: TestGatewayOptions = {}): Promise<Provoked> {
  const { app } = await startTestGateway(options);
  const { status, headers, body } = readAnswer(await openRaw(await listen(app), text).closed);
  return { status, type: headers['content-type'] ?? '', body: JSON.parse(body) };
}

async function stopped(): Promise<Provoked> {
  const { app, mesh } = await startTestGateway();
  const { hears } = listening(app);
  const late = openRaw(await listen(app), 'GET /v1/status HTTP/1.1\r\n');
  await hears(1);
  const stopping = stopGateway(app, () => mesh.close());
  late.socket.write('Host: localhost\r\n\r\n');
  const { status, headers, body } = readAnswer(await late.closed);
  await stopping;
  return { status, type: headers['content-type'] ?? '', body: JSON.parse(body) };
}
