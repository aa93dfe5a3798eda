import { expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/test-gateway.js';

const STRUCTURED = 'application/cloudevents+json';
const BATCH = 'application/cloudevents-batch+json';
const EVENT = {
  specversion: '1.0',
  id: 'run-7',
  source: '/ci/nightly',
  type: 'TaskCompleted',
  time: '2026-01-02T03:04:05Z',
  outcome: 'failed',
  session: 's-1',
  depth: 1,
  subject: 'build',
  data: { task_id: 't-1' },
};

async function send({ app }: TestGateway, headers: Record<string, string>, payload: unknown) {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const answer = await app.inject({
    method: 'POST',
    url: '/v1/events',
    headers,
    ...(payload !== undefined && { body }),
  });
  return { status: answer.statusCode, body: answer.json() };
}

test('structured, batch and binary say the same', async () => {
  const gateway = await startTestGateway();
  const { data, ...attributes } = EVENT;
  const binary = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`ce-${name}`, String(value)]));

  const answers = [
    await send(gateway, { 'content-type': STRUCTURED }, EVENT),
    await send(gateway, { 'content-type': `${STRUCTURED}; charset=utf-8` }, EVENT),
    await send(gateway, { 'content-type': BATCH }, [EVENT, { ...EVENT, id: 'run-8' }]),
    await send(gateway, { 'content-type': 'application/json', ...binary }, data),
  ];

  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
  const [first, second, third, other, last] = gateway.mesh.stored;
  expect(first).toMatchObject({
    ...{ event: 'TaskCompleted', outcome: 'failed', session: 's-1', depth: 1, source: '/ci/nightly' },
    occurredAt: Date.parse('2026-01-02T03:04:05Z'),
    payload: { task_id: 't-1', cloudevent: { subject: 'build' } },
  });
  expect(first?.id).toMatch(/^ce:[\w-]{16}:run-7$/);
  expect(other?.id).not.toBe(first?.id);
  for (const same of [second, third]) expect({ ...same, requestId: '' }).toEqual({ ...first, requestId: '' });
  expect(last).toMatchObject({ id: first?.id, outcome: 'failed', depth: 1, payload: { task_id: 't-1' } });
});

test('binary mode may come without data', async () => {
  const gateway = await startTestGateway();
  const headers = { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': 's', 'ce-type': 'X' };

  expect(await send(gateway, headers, undefined)).toMatchObject({ status: 202 });
  expect(await send(gateway, { ...headers, 'content-type': 'application/json' }, '')).toMatchObject({ status: 202 });
  expect(gateway.mesh.stored).toMatchObject([{ payload: {} }, { payload: {} }]);
});

test('problems stand where the caller finds them, under the names of CloudEvents', async () => {
  const gateway = await startTestGateway();
  const trap = '{"specversion":"1.0","id":"1","source":"s","type":"X","data":{"a":{"__proto__":1}}}';

  const batch = await send(gateway, { 'content-type': BATCH }, [EVENT, { ...EVENT, specversion: '0.3', id: '' }]);
  const structured = await send(gateway, { 'content-type': STRUCTURED }, trap);
  const inBatch = await send(gateway, { 'content-type': BATCH }, `[${trap}]`);

  expect(batch).toMatchObject({
    status: 400,
    body: { code: 'invalid-event', problems: [{ path: '[1].specversion' }, { path: '[1].id' }] },
  });
  expect(structured.body.problems).toMatchObject([{ path: 'data.a.__proto__' }]);
  expect(inBatch.body.problems).toMatchObject([{ path: '[0].data.a.__proto__' }]);
  expect(gateway.mesh.stored).toEqual([]);
});

test.each([
  ['a batch of one that is no array', BATCH, EVENT],
  ['an array that is no batch', STRUCTURED, [EVENT]],
  ['an empty batch', BATCH, []],
  ['no object', STRUCTURED, 7],
])('%s is refused', async (_what, type, payload) => {
  const gateway = await startTestGateway();

  expect(await send(gateway, { 'content-type': type }, payload)).toMatchObject({
    status: 400,
    body: { code: 'invalid-event' },
  });
});

test('the tenant of someone else is refused here too', async () => {
  const gateway = await startTestGateway();

  const answer = await send(gateway, { 'content-type': STRUCTURED }, { ...EVENT, tenant: 'rival' });

  expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } });
});

test('other routes take no CloudEvents', async () => {
  const { app } = await startTestGateway();

  const answer = await app.inject({
    method: 'POST',
    url: '/v1/hooks/claude-code',
    headers: { 'content-type': STRUCTURED },
    body: JSON.stringify(EVENT),
  });

  expect(answer.statusCode).toBe(415);
});
