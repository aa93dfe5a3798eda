import { expect, test } from 'vitest';
import { MeshError } from '#client/errors.js';
import { createAccess } from '#client/gateway/access.js';
import { remediationId } from '#contract/ids.js';
import { ROLES } from '#contract/roles.js';
import type { LoggedVerdict } from '#contract/views/verdicts.js';
import { aRemediation, createFakeMesh, type FakeMesh } from '../support/fake-mesh.js';
import { aToken, startTestGateway, type TestGatewayOptions } from '../support/test-gateway.js';

const RULE = 'rule / 1 ü%';
const PATH = `/v1/remediations/${encodeURIComponent(RULE)}/e-1`;

/** A gateway for tenant `acme`, whose rival has the same rule and event. */
async function start(options: TestGatewayOptions = {}) {
  const { token, known } = aToken('acme', ROLES);
  const gateway = await startTestGateway({ ...options, policy: { access: createAccess([known]) } });
  const { mesh, app } = gateway;
  for (const tenant of ['acme', 'rival']) {
    const id = remediationId(tenant, RULE, 'e-1');
    mesh.details.set(id, aRemediation(id));
  }
  const call = async (method: 'GET' | 'POST', url: string, payload?: object) => {
    const answer = await app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${token}` },
      ...(payload && { payload }),
    });
    return { status: answer.statusCode, body: answer.json(), headers: answer.headers };
  };
  return { ...gateway, call };
}

const ID = remediationId('acme', RULE, 'e-1');

test('an event is shown with its verdicts and the remediations they name, each once', async () => {
  const { mesh, call } = await start();
  const subject = { at: 1, eventId: 'e-1', event: 'X', depth: 0 };
  const verdicts: LoggedVerdict[] = [
    { verdict: 'fire', rule: RULE, action: 'a', remediation: ID, ...subject },
    { verdict: 'fire', rule: RULE, action: 'b', remediation: ID, ...subject },
    { verdict: 'skip', code: 'cooldown', reason: 'r', rule: 'other', ...subject },
  ];
  mesh.judgements.set('acme e-1', { state: 'judged', verdicts });
  mesh.judgements.set('rival e-2', { state: 'judged', verdicts });

  expect(await call('GET', '/v1/events/e-1')).toMatchObject({
    status: 200,
    body: { id: 'e-1', state: 'judged', verdicts, remediations: [{ id: ID, rule: RULE }] },
  });
  expect(await call('GET', '/v1/events/e-2')).toMatchObject({ status: 404, body: { code: 'not-found' } });
});

test('events are listed for the tenant of the token, whatever is asked', async () => {
  const asked: unknown[] = [];
  const event = { id: 'e-1', event: 'X', at: 1, depth: 0, session: 's', verdicts: [] };
  const record = { list: async (filter: object) => (asked.push(filter), { events: [event], nextPage: 'p' }) };
  const { call } = await start({ record });

  const query = 'session=s%2F1&tool=Bash&rule=a%20b&event=X&verdict=skipped&code=cooldown&sinceAt=5&limit=20&page=abc';
  expect(await call('GET', `/v1/events?${query}`)).toMatchObject({
    status: 200,
    body: { events: [event], nextPage: 'p' },
  });

  const filter = { session: 's/1', tool: 'Bash', rule: 'a b', event: 'X', verdict: 'skipped', code: 'cooldown' };
  expect(asked).toEqual([{ tenant: 'acme', ...filter, sinceAt: 5, limit: 20, page: 'abc' }]);
});

test.each([
  ['verdict=none', 'verdict'],
  ['code=cooldwn', 'code'],
  ['sinceAt=yesterday', 'sinceAt'],
  ['tenant=rival', 'tenant'],
])('the filter of events %s is refused', async (query, path) => {
  const { call } = await start();

  const { status, body } = await call('GET', `/v1/events?${query}`);

  expect({ status, body }).toMatchObject({ status: 400, body: { code: 'invalid-request', problems: [{ path }] } });
});

test('an event that waits is there, without verdicts', async () => {
  const { mesh, call } = await start();
  mesh.judgements.set('acme e-1', { state: 'waiting', verdicts: [] });

  expect(await call('GET', '/v1/events/e-1')).toMatchObject({
    status: 200,
    body: { state: 'waiting', verdicts: [], remediations: [] },
  });
});

test('of an event whose verdicts are forgotten, the remediations are still found', async () => {
  const { mesh, call } = await start();
  mesh.judgements.set('acme e-1', { state: 'forgotten', verdicts: [] });
  const id = remediationId('acme', 'a-rule', 'e-1');
  mesh.details.set(id, aRemediation(id));

  expect(await call('GET', '/v1/events/e-1')).toMatchObject({
    status: 200,
    body: { state: 'forgotten', remediations: [{ id, rule: 'a-rule' }] },
  });
});

test('remediations are listed for the tenant of the token, whatever is asked', async () => {
  const { mesh, call } = await start();

  const { body } = await call('GET', '/v1/remediations?rule=a%20b&outcome=failed&session=s%2F1&limit=20&page=abc');

  expect(body.remediations).toMatchObject([{ id: ID, tenant: 'acme' }]);
  expect(mesh.filters).toEqual([
    { tenant: 'acme', rule: 'a b', outcome: 'failed', session: 's/1', limit: 20, page: 'abc' },
  ]);
});

test.each([
  ['limit=0', 'limit'],
  ['limit=201', 'limit'],
  ['limit=ten', 'limit'],
  ['limit=1&limit=2', 'limit'],
  ['limit=0x10', 'limit'],
  ['limit=', 'limit'],
  ['outcome=fine', 'outcome'],
  ['rule=', 'rule'],
  ['tenant=rival', 'tenant'],
  ['__proto__=1', '__proto__'],
])('the filter %s is refused', async (query, path) => {
  const { call } = await start();

  const { status, body } = await call('GET', `/v1/remediations?${query}`);

  expect({ status, body }).toMatchObject({ status: 400, body: { code: 'invalid-request', problems: [{ path }] } });
});

test('a remediation is shown whole', async () => {
  const { call } = await start();

  expect(await call('GET', PATH)).toMatchObject({ status: 200, body: { id: ID, tenant: 'acme', rule: RULE } });
  expect(await call('GET', '/v1/remediations/none/e-1')).toMatchObject({ status: 404, body: { code: 'not-found' } });
});

test('rule ids are not paths into the tenant of someone else', async () => {
  const { call } = await start();

  for (const rule of ['..%2F..%2Frival%2Fr', '..', '%2e%2e%2frival', 'rival%2F']) {
    expect((await call('GET', `/v1/remediations/${rule}/e-1`)).status, rule).toBe(404);
  }
});

test('a remediation is aborted and retried, when it is in a state for that', async () => {
  const { mesh, call } = await start();

  expect(await call('POST', `${PATH}/abort`)).toMatchObject({ status: 202, body: { id: ID } });
  expect(await call('POST', `${PATH}/retry`, {})).toMatchObject({ status: 409, body: { code: 'conflict' } });
  mesh.details.set(ID, aRemediation(ID, { outcome: 'failed' }));
  expect(await call('POST', `${PATH}/abort`, {})).toMatchObject({ status: 409, body: { code: 'conflict' } });
  expect(await call('POST', `${PATH}/retry`)).toMatchObject({
    status: 202,
    body: { id: ID, runId: 'run-2', actions: ['tell'] },
  });
  expect(mesh.calls).toEqual([`abort ${ID}`, `retry ${ID}`]);
});

test('a rule that there is none of is not re-armed, and the one that is meant is named', async () => {
  const fake = createFakeMesh();
  const ruleset = { hash: 'h', source: 's', problems: [], ruleIds: ['retry', 'tell'] };
  let status: FakeMesh['status'] = async () => ({ ...(await fake.status()), ruleset });
  const { call } = await start({ mesh: { ...fake, status: (tenant) => status(tenant) } });
  const rearm = (rule: string) => call('POST', `/v1/rules/${rule}/rearm`);

  expect(await rearm('rety')).toMatchObject({
    status: 404,
    body: { code: 'not-found', detail: 'there is no rule "rety" (did you mean "retry"?)' },
  });
  expect(fake.calls).toEqual([]);
  // In the file, or taken out of it with a window that is still live.
  expect((await rearm('tell')).status).toBe(202);
  expect((await rearm('a-rule')).status).toBe(202);
  status = () => Promise.reject(new MeshError('no-worker', 'no worker answers'));
  expect((await rearm('rety')).status).toBe(202);
});

test('the tenant is looked at, paused, resumed and re-armed', async () => {
  const { mesh, call } = await start();
  const watch = 'watch/acme';

  expect(await call('GET', '/v1/status')).toMatchObject({ status: 200, body: { tenant: 'acme' } });
  expect(await call('POST', '/v1/pause')).toMatchObject({ status: 202, body: { watch } });
  expect(await call('POST', '/v1/pause', { reason: 'deploy' })).toMatchObject({ status: 202, body: { watch } });
  expect(await call('POST', '/v1/resume')).toMatchObject({ status: 202, body: { watch } });
  expect(await call('POST', `/v1/rules/${encodeURIComponent(RULE)}/rearm`)).toMatchObject({
    status: 202,
    body: { watch, rule: RULE },
  });
  expect(mesh.calls).toEqual(['pause acme undefined', 'pause acme deploy', 'resume acme', `rearm acme ${RULE}`]);
});

test.each([
  ['/v1/pause', { reason: 7 }],
  ['/v1/pause', { reason: 'x'.repeat(501) }],
  ['/v1/pause', { why: 'deploy' }],
  ['/v1/pause', [1]],
  ['/v1/resume', { tenant: 'rival' }],
  [`${PATH}/abort`, { force: true }],
  [`${PATH}/retry`, ['a']],
])('%s does not ignore a body it does not know: %j', async (url, payload) => {
  const { mesh, call } = await start();

  expect(await call('POST', url, payload)).toMatchObject({ status: 400, body: { code: 'invalid-request' } });
  expect(mesh.calls).toEqual([]);
});

test.each([
  ['GET', '/v1/events/e-1'],
  ['GET', '/v1/status'],
  ['POST', '/v1/resume'],
  ['POST', '/v1/rules/r/rearm'],
] as const)('%s %s of a tenant without a watch is not found', async (method, url) => {
  const { mesh, call } = await start();
  mesh.hasWatch = false;

  expect(await call(method, url)).toMatchObject({ status: 404, body: { code: 'not-found' } });
});

const grpc = (code: number) =>
  Object.assign(new Error(`${code}: secret detail`), { code, details: 'secret detail', metadata: {} });

test.each<[string, Error, number, string]>([
  ['no worker', new MeshError('no-worker', 'no worker answers: start one with `npm start`'), 503, 'no-worker'],
  ['no server', grpc(14), 503, 'unavailable'],
  ['a server that is too slow', grpc(4), 503, 'unavailable'],
  ['a server that is too busy', grpc(8), 503, 'unavailable'],
  ['no permission', grpc(7), 502, 'not-taken'],
  ['something Temporal cannot read', grpc(3), 400, 'invalid-request'],
  ['an error behind an error', new Error('Query failed', { cause: grpc(14) }), 503, 'unavailable'],
  ['a mistake of our own', new TypeError('cannot read properties of undefined (reading /etc/secret)'), 500, 'internal'],
])('%s is answered on every route that asks Temporal', async (_what, error, status, code) => {
  const { mesh, log, call } = await start();
  mesh.failure = error;

  for (const url of ['/v1/status', '/v1/events/e-1', '/v1/remediations', PATH]) {
    const answer = await call('GET', url);
    expect(answer).toMatchObject({ status, body: { code } });
    expect(answer.headers['retry-after'] !== undefined).toBe(status === 503);
    expect(JSON.stringify(answer.body)).not.toMatch(/secret|stack|at /);
  }
  const errors = log.filter(({ level }) => level === 'error');
  expect(errors).toHaveLength(status === 500 || status === 502 ? 4 : 0);
});
