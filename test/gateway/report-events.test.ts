import { describe, expect, test } from 'vitest';
import { NotStoredError } from '#client/errors.js';
import { ROLES } from '#contract/roles.js';
import { createAccess } from '#client/gateway/access.js';
import { createRedactor } from '#contract/text/redact/redact.js';
import { aToken, startTestGateway, type TestGateway } from '../support/test-gateway.js';

function report({ app }: TestGateway, payload: unknown, headers: Record<string, string> = {}) {
  const body = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload);
  return app
    .inject({ method: 'POST', url: '/v1/events', headers: { 'content-type': 'application/json', ...headers }, body })
    .then((answer) => ({ status: answer.statusCode, headers: answer.headers, body: answer.json() }));
}

describe('one event', () => {
  test('is answered with its id and its watch once it is stored', async () => {
    const gateway = await startTestGateway();

    const answer = await report(gateway, { event: 'TaskCompleted', outcome: 'failed', id: 'e-1', payload: { a: 1 } });

    expect(answer).toMatchObject({ status: 202, body: { events: [{ id: 'e-1' }], watch: 'watch/default' } });
    expect(gateway.mesh.stored).toMatchObject([
      { id: 'e-1', event: 'TaskCompleted', outcome: 'failed', tenant: 'default', source: 'gateway', payload: { a: 1 } },
    ]);
  });

  test('is taken under a name that no runtime sends, with a warning', async () => {
    const gateway = await startTestGateway();

    const slip = await report(gateway, { event: 'PostToolUsFailure' });
    const fine = await report(gateway, { event: 'PostToolUseFailure' });

    expect(slip).toMatchObject({
      status: 202,
      body: { warnings: [expect.stringContaining('did you mean "PostToolUseFailure"?')] },
    });
    expect(fine.body).not.toHaveProperty('warnings');
  });

  test('without an id gets one', async () => {
    const gateway = await startTestGateway();

    const { body } = await report(gateway, { event: 'TaskCompleted' });

    expect(body.events).toEqual([{ id: gateway.mesh.stored[0]?.id }]);
  });

  test('loses its secrets before it is stored', async () => {
    const gateway = await startTestGateway();

    await report(gateway, {
      event: 'X',
      payload: { password: 'hunter2', error: 'Bearer abcdefghijklmnopqrstuvwxyz123456' },
    });

    expect(JSON.stringify(gateway.mesh.stored)).not.toMatch(/hunter2|abcdefghijkl/);
  });

  test('carries the id of the request, also when it names another', async () => {
    const gateway = await startTestGateway();

    const answer = await report(gateway, { event: 'X', requestId: 'mine' }, { 'x-request-id': 'abc.1:2-3' });

    expect(answer.headers['x-request-id']).toBe('abc.1:2-3');
    expect(gateway.mesh.stored).toMatchObject([{ requestId: 'abc.1:2-3' }]);
    expect(gateway.log).toMatchObject([{ requestId: 'abc.1:2-3', events: 1, tenant: 'default', status: 202 }]);
  });

  test.each(['', 'a b', 'x'.repeat(101), 'a\tb', 'ghp_0123456789abcdefghijABCDEFGHIJ012345'])(
    'does not carry the request id %j, which is not fit to be shown',
    async (id) => {
      const gateway = await startTestGateway();

      const answer = await report(gateway, { event: 'X' }, { 'x-request-id': id });

      expect(answer.headers['x-request-id']).toMatch(/^made-\d+$/);
      expect(gateway.mesh.stored).toMatchObject([{ requestId: answer.headers['x-request-id'] }]);
    },
  );
});

test('a request id that only `mesh.yaml` knows to be a secret is carried nowhere', async () => {
  const policy = { redactor: createRedactor({ patterns: [/corp-\d+/] }) };
  const gateway = await startTestGateway({ policy });

  for (const event of ['X', '1X']) {
    const answer = await report(gateway, { event }, { 'x-request-id': 'corp-123' });
    expect(answer.headers['x-request-id']).toMatch(/^made-\d+$/);
    expect(JSON.stringify(answer.body)).not.toContain('corp-123');
  }

  expect(gateway.mesh.stored).toHaveLength(1);
  expect(gateway.log).toHaveLength(2);
  expect(JSON.stringify([gateway.mesh.stored, gateway.log])).not.toContain('corp-123');
});

describe('an array', () => {
  test('is stored whole, in its order', async () => {
    const gateway = await startTestGateway();
    const ids = Array.from({ length: 1_000 }, (_, index) => ({ id: `e-${index}` }));

    const answer = await report(
      gateway,
      ids.map(({ id }) => ({ event: 'X', id })),
    );

    expect(answer).toMatchObject({ status: 202, body: { events: ids } });
    expect(gateway.mesh.stored.map(({ id }) => ({ id }))).toEqual(ids);
  });

  test('with one wrong event is refused whole, with every problem and its path', async () => {
    const gateway = await startTestGateway();

    const answer = await report(gateway, [
      { event: 'X' },
      { event: '1X', outcome: 'fail' },
      { event: 'X', payload: { a: [{ constructor: 1 }] } },
      7,
    ]);

    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid-event', problemCount: 4 } });
    expect(answer.body.problems).toMatchObject([
      { path: '[1].event', expected: expect.stringContaining('an event name') },
      { path: '[1].outcome', hint: 'did you mean "failed"?' },
      { path: '[2].payload.a[0].constructor', hint: 'rename it' },
      { path: '[3]', message: 'expected an event object' },
    ]);
    expect(gateway.mesh.stored).toEqual([]);
  });

  test('that is empty is refused', async () => {
    const gateway = await startTestGateway();

    expect(await report(gateway, [])).toMatchObject({ status: 400, body: { code: 'invalid-event' } });
  });

  test('of more than a thousand events is too large', async () => {
    const gateway = await startTestGateway();

    const answer = await report(
      gateway,
      Array.from({ length: 1_001 }, () => ({ event: 'X' })),
    );

    expect(answer).toMatchObject({ status: 413, body: { code: 'too-large' } });
    expect(answer.body.detail).toBe('at most 1000 events go in one request, found 1001');
    expect(gateway.mesh.stored).toEqual([]);
  });
});

describe('a body that is no event', () => {
  test.each([
    ['nothing', '', 'the body is empty: expected JSON'],
    ['half an object', '{"event": "X"', 'at position 13 (line 1, column 14) expected }, but it ends there'],
    ['a slip', '{\n  "event": "X",\n}', 'at position 18 (line 3, column 1) expected a key, found "}"'],
    ['words', 'hello', 'at position 0 (line 1, column 1) expected JSON, found "h"'],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'the body is not UTF-8'],
  ])('%s: says where it is not JSON', async (_what, body, detail) => {
    const gateway = await startTestGateway();

    const answer = await report(gateway, body);

    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid-json' } });
    expect(answer.body.detail).toContain(detail);
  });

  test('without content type and without a body is invalid too', async () => {
    const { app } = await startTestGateway();

    const answer = await app.inject({ method: 'POST', url: '/v1/events' });

    expect(answer.json()).toMatchObject({ status: 400, code: 'invalid-json' });
  });

  test.each(['null', '"text"', '7', 'true', '[[]]', '[null]'])('%s is JSON, but no event', async (body) => {
    const gateway = await startTestGateway();

    expect(await report(gateway, body)).toMatchObject({ status: 400, body: { code: 'invalid-event' } });
  });

  test.each([
    '{"event":"X","__proto__":{"polluted":1}}',
    '{"event":"X","payload":{"__proto__":{"polluted":1}}}',
    '{"event":"X","payload":{"a":[{"constructor":{"prototype":{}}}]}}',
    '{"event":"X","lineage":{"root":"a","__proto__":1}}',
  ])('%s sets a trap, and is refused with its place', async (body) => {
    const gateway = await startTestGateway();

    const answer = await report(gateway, body);

    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid-event' } });
    expect(answer.body.problems[0].path).toMatch(/__proto__|constructor/);
    expect(gateway.mesh.stored).toEqual([]);
  });

  test.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data', 'nonsense'])(
    'of type %s is not taken',
    async (type) => {
      const gateway = await startTestGateway();

      const answer = await report(gateway, { event: 'X' }, { 'content-type': type });

      expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported-media-type' } });
    },
  );

  test('over four megabytes is too large, whether it says so or not', async () => {
    const gateway = await startTestGateway();
    const body = JSON.stringify({ event: 'X', payload: { text: 'x'.repeat(4 * 1024 * 1024) } });

    expect(await report(gateway, body)).toMatchObject({ status: 413, body: { code: 'too-large' } });
    expect(gateway.mesh.stored).toEqual([]);
  });

  test('with one endless misspelt key gets a short answer, and soon', async () => {
    const gateway = await startTestGateway();
    const begun = performance.now();

    const answer = await report(gateway, { event: 'X', ['k'.repeat(2_000_000)]: 1 });

    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body).length).toBeLessThan(3_000);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  test('with very many problems lists the first thousand, and their number', async () => {
    const gateway = await startTestGateway();
    const wrong = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`key${index}`, 1]));

    const answer = await report(
      gateway,
      Array.from({ length: 100 }, () => ({ event: 'X', ...wrong })),
    );

    expect(answer.body.problems).toHaveLength(1_000);
    expect(answer.body.problemCount).toBe(1_500);
  });

  test.each(['event', 'lineage'])('with a hundred thousand fields in its %s gets one problem', async (where) => {
    const gateway = await startTestGateway();
    const fields = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 1]));

    const answer = await report(gateway, [
      where === 'event' ? { event: 'X', ...fields } : { event: 'X', lineage: fields },
    ]);

    const path = where === 'event' ? '[0]' : '[0].lineage';
    expect(answer.body).toMatchObject({ code: 'invalid-event', problems: [{ path, expected: 'at most 100' }] });
  });

  test('does not have its secrets shown in the answer', async () => {
    const gateway = await startTestGateway();

    const answer = await report(gateway, { event: 'ghp_0123456789abcdefghijABCDEFGHIJ012345!' });

    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).not.toContain('ghp_0123456789');
  });
});

describe('the tenant', () => {
  async function startWithTenant() {
    const { token, known } = aToken('acme', ROLES);
    const gateway = await startTestGateway({ policy: { access: createAccess([known]) } });
    return { gateway, headers: { authorization: `Bearer ${token}` } };
  }

  test('is that of the token, named or not', async () => {
    const { gateway, headers } = await startWithTenant();

    const answer = await report(gateway, [{ event: 'X' }, { event: 'X', tenant: 'acme' }], headers);

    expect(answer).toMatchObject({ status: 202, body: { watch: 'watch/acme' } });
    expect(gateway.mesh.stored.map(({ tenant }) => tenant)).toEqual(['acme', 'acme']);
  });

  test('of someone else is refused, and nothing is stored', async () => {
    const { gateway, headers } = await startWithTenant();

    const answer = await report(gateway, [{ event: 'X' }, { event: 'X', tenant: 'rival' }], headers);

    expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(gateway.mesh.stored).toEqual([]);
  });

  test('that is no tenant at all is a wrong event', async () => {
    const { gateway, headers } = await startWithTenant();

    expect(await report(gateway, { event: 'X', tenant: 7 }, headers)).toMatchObject({ status: 400 });
  });
});

describe('Idempotency-Key', () => {
  const ids = ({ mesh }: TestGateway) => mesh.stored.map(({ id }) => id);

  test.each([
    ['becomes the id as it is when it can be one', 'order-7', 'order-7'],
    ['becomes a hash otherwise', 'order 7/€'.replace('€', '%'), expect.stringMatching(/^key-[\w-]{32}$/)],
  ])('%s', async (_what, key, id) => {
    const gateway = await startTestGateway();

    await report(gateway, { event: 'X' }, { 'idempotency-key': key });
    await report(gateway, { event: 'X' }, { 'idempotency-key': key });

    expect(ids(gateway)).toEqual([id, id]);
    expect(ids(gateway)[0]).toBe(ids(gateway)[1]);
  });

  test('says the same as the id of the event, or it is refused', async () => {
    const gateway = await startTestGateway();

    expect(await report(gateway, { event: 'X', id: 'a' }, { 'idempotency-key': 'a' })).toMatchObject({ status: 202 });
    expect(await report(gateway, { event: 'X', id: 'a' }, { 'idempotency-key': 'b' })).toMatchObject({
      status: 400,
      body: { code: 'invalid-request', problems: [{ path: 'Idempotency-Key' }] },
    });
    expect(ids(gateway)).toEqual(['a']);
  });

  test.each([
    ['an array', [{ event: 'X' }], 'key'],
    ['an array of none', [], 'key'],
    ['an event, when it is empty', { event: 'X' }, ' '],
    ['an event, when it is very long', { event: 'X' }, 'x'.repeat(501)],
  ])('does not go with %s', async (_what, payload, key) => {
    const gateway = await startTestGateway();

    expect(await report(gateway, payload, { 'idempotency-key': key })).toMatchObject({ status: 400 });
    expect(gateway.mesh.stored).toEqual([]);
  });
});

describe('what could not be stored', () => {
  test.each([
    ['unreachable', 503, 'unavailable', '5'],
    ['watch-full', 503, 'watch-full', '30'],
    ['too-many-waiting', 503, 'too-many-waiting', '1'],
    ['closed', 503, 'stopping', '5'],
    ['refused', 502, 'not-taken', undefined],
  ] as const)('because it is %s is never answered with 2xx', async (reason, status, code, retryAfter) => {
    const gateway = await startTestGateway();
    gateway.mesh.failure = new NotStoredError(reason, ['b'], ['a']);

    const answer = await report(gateway, [
      { event: 'X', id: 'a' },
      { event: 'X', id: 'b' },
    ]);

    expect(answer).toMatchObject({ status, body: { code, stored: ['a'], notStored: ['b'] } });
    expect(answer.headers['retry-after']).toBe(retryAfter);
  });

  test('within the time a caller waits is named', async () => {
    const gateway = await startTestGateway({ limits: { storeWithinMs: 50 } });
    gateway.mesh.storeMs = 200;

    const answer = await report(gateway, { event: 'X', id: 'a' });

    expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable', notStored: ['a'] } });
  });
});
