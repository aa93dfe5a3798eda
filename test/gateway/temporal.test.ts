import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccess } from '#client/gateway/access.js';
import { createGateway } from '#client/gateway/create-gateway.js';
import {
  Accepted,
  EventAnswer,
  RemediationDetail,
  RemediationPage,
  Retried,
  WatchStatus,
} from '#client/gateway/schemas/index.js';
import { ROLES } from '#contract/roles.js';
import { createRedactor } from '#contract/text/redact/redact.js';
import { eventually } from '../support/eventually.js';
import { type BridgeServer, startBridgeServer } from '../support/bridge-server.js';
import { aToken } from '../support/test-gateway.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';

// The same gateway before a real server and a real worker: what the answers look like there, not only in memory.

let bridge: BridgeServer;
let world: TestMesh;
let app: FastifyInstance;
let authorization: string;

beforeAll(async () => {
  bridge = await startBridgeServer();
  const actions = [{ type: 'warm_remote_capacity', id: 'warm', retry: { maxAttempts: 1 } }];
  const rules = [
    { id: 'a rule/with ünusual id', trigger: { event: 'TaskCompleted' }, actions },
    { id: 'quiet', mode: 'shadow', trigger: { event: 'PostToolUseFailure' }, actions },
  ];
  world = await startTestMesh({
    rules: { defaultCooldownMs: 0, defaultDedupWindowMs: 0, rules },
    config: bridge.config,
  });
  const { token, known } = aToken(world.tenant, ROLES);
  authorization = `Bearer ${token}`;
  const policy = {
    access: createAccess([known]),
    allowedOrigins: new Set<string>(),
    allowedHosts: new Set<string>(),
    eventsPerSecond: 5_000,
    redactor: createRedactor(),
  };
  let made = 0;
  app = await createGateway({
    mesh: world.mesh,
    record: { list: async () => ({ events: [] }) },
    policy: { current: async () => policy },
    areRulesValid: async () => true,
    isLoopback: true,
    log: { info: () => undefined, warn: console.warn, error: console.error },
    now: Date.now,
    makeId: () => `made-${++made}`,
  });
});

afterAll(async () => {
  await app?.close();
  await world?.stop();
  await bridge?.close();
});

const RULE = encodeURIComponent('a rule/with ünusual id');

async function call(method: 'GET' | 'POST', url: string, payload?: object) {
  const answer = await app.inject({ method, url, headers: { authorization }, ...(payload && { payload }) });
  return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() };
}

function report(id: string, more: object = {}) {
  return call('POST', '/v1/events', { event: 'TaskCompleted', outcome: 'failed', id, ...more });
}

function ended(id: string) {
  return eventually(`the end of ${id}`, async () => {
    const { status, body } = await call('GET', `/v1/remediations/${RULE}/${id}`);
    return status === 200 && body['outcome'] !== 'running' ? body : undefined;
  });
}

test('an event goes all the way: stored, judged, remediated, and seen at every route', async () => {
  const stored = await report('e-1', { session: 's-1' });
  expect(stored.status).toBe(202);
  expect(Accepted.parse(stored.body)).toEqual({ events: [{ id: 'e-1' }], watch: `watch/${world.tenant}` });

  const judged = await eventually('a verdict', async () => {
    const { body } = await call('GET', '/v1/events/e-1');
    return body['state'] === 'judged' ? EventAnswer.parse(body) : undefined;
  });
  const id = `remediation/${world.tenant}/${RULE}/e-1`;
  expect(judged.verdicts).toMatchObject([{ verdict: 'fire', action: 'warm', remediation: id }]);
  expect(judged.remediations).toEqual([{ id, rule: 'a rule/with ünusual id' }]);

  const detail = RemediationDetail.parse(await ended('e-1'));
  expect(detail).toMatchObject({ id, outcome: 'executed', reported: { id: 'e-1', requestId: 'made-1' } });
  const page = await eventually('the remediation in the list', async () => {
    const { body } = await call('GET', '/v1/remediations?session=s-1&outcome=executed&limit=5');
    const read = RemediationPage.parse(body);
    return read.remediations.length > 0 ? read : undefined;
  });
  expect(page.remediations).toMatchObject([{ id, rule: 'a rule/with ünusual id', eventId: 'e-1' }]);
  const status = WatchStatus.parse((await call('GET', '/v1/status')).body);
  expect(status.counters.rules['a rule/with ünusual id']?.fired).toBe(1);
});

test('a raw hook and a CloudEvent arrive as events', async () => {
  const hook = { hook_event_name: 'PostToolUseFailure', session_id: 's-2', tool_use_id: 'toolu-1', tool_name: 'Bash' };
  expect(await call('POST', '/v1/hooks/claude-code', hook)).toEqual({ status: 200, body: {} });
  const cloudEvent = { specversion: '1.0', id: '1', source: '/ci', type: 'Unheard', data: { a: 1 } };
  const sent = await app.inject({
    method: 'POST',
    url: '/v1/events',
    headers: { authorization, 'content-type': 'application/cloudevents+json' },
    payload: JSON.stringify(cloudEvent),
  });
  const [{ id: cloudId = '' } = {}] = Accepted.parse(sent.json()).events;

  for (const [id, code] of [
    ['cc:s-2:PostToolUseFailure:toolu-1', 'shadow'],
    [cloudId, 'no-match'],
  ]) {
    const judged = await eventually(`a verdict on ${id}`, async () => {
      const { body } = await call('GET', `/v1/events/${id}`);
      return body['state'] === 'judged' ? EventAnswer.parse(body) : undefined;
    });
    expect(judged.verdicts).toMatchObject([{ verdict: 'skip', code }]);
    expect(judged.remediations).toEqual([]);
  }
});

test('a failed remediation is retried, and cannot be aborted or retried once it is done', async () => {
  bridge.script.push({ status: 400 });
  await report('e-2');
  expect(await ended('e-2')).toMatchObject({ outcome: 'failed' });
  expect(await call('POST', `/v1/remediations/${RULE}/e-2/abort`)).toMatchObject({ status: 409 });

  const retried = await call('POST', `/v1/remediations/${RULE}/e-2/retry`);
  expect(retried.status).toBe(202);
  expect(Retried.parse(retried.body).actions).toEqual(['warm']);
  await eventually('success', async () => ((await ended('e-2'))['outcome'] === 'executed' ? true : undefined));
  expect(await call('POST', `/v1/remediations/${RULE}/e-2/retry`)).toMatchObject({
    status: 409,
    body: { code: 'conflict' },
  });
});

test('a running remediation is aborted', async () => {
  bridge.script.push('hang');
  await report('e-3');
  const isForIt = ({ headers }: BridgeServer['requests'][number]) =>
    String(headers['idempotency-key']).endsWith('/e-3/warm');
  await eventually('the call of the bridge', () => (bridge.requests.some(isForIt) ? true : undefined));
  expect(await call('POST', `/v1/remediations/${RULE}/e-3/abort`)).toMatchObject({ status: 202 });
  expect(RemediationDetail.parse(await ended('e-3'))).toMatchObject({ outcome: 'aborted' });
});

test('pause, resume and re-arm reach the watch', async () => {
  expect(await call('POST', '/v1/pause', { reason: 'deploy, password=hunter2hunter2' })).toMatchObject({ status: 202 });
  await report('e-4');
  const paused = await eventually('a verdict', async () => {
    const { body } = await call('GET', '/v1/events/e-4');
    return body['state'] === 'judged' ? body : undefined;
  });
  expect(paused).toMatchObject({ verdicts: [{ code: 'paused' }] });
  const { body } = await call('GET', '/v1/status');
  expect(JSON.stringify(body)).toContain('deploy');
  expect(JSON.stringify(body)).not.toContain('hunter2');
  expect(await call('POST', '/v1/resume')).toMatchObject({ status: 202 });
  expect(await call('POST', `/v1/rules/${RULE}/rearm`)).toMatchObject({ status: 202 });
  await eventually('the end of the pause', async () => {
    const { body } = await call('GET', '/v1/status');
    return body['paused'] === null ? true : undefined;
  });
});

test('what is not there is not found, and what Temporal cannot read is a wrong request', async () => {
  expect(await call('GET', '/v1/events/never')).toMatchObject({ status: 404, body: { code: 'not-found' } });
  expect(await call('GET', '/v1/remediations/none/never')).toMatchObject({ status: 404 });
  expect(await call('POST', '/v1/remediations/none/never/abort')).toMatchObject({ status: 404 });
  expect(await call('GET', '/v1/remediations?page=bm9uc2Vuc2U')).toMatchObject({ status: 404 });
  expect(await call('GET', '/v1/remediations?session=%27%20OR%20%27%27%3D%27')).toMatchObject({ status: 200 });
  expect(await call('GET', '/v1/remediations?rule=%00%0a%5c%27')).toMatchObject({ status: 200 });
  expect(await call('GET', `/v1/remediations/${'%C3%BC'.repeat(600)}/never`)).toMatchObject({ status: 404 });
});
