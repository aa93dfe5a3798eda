import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { createFakeMesh, holdStoring } from '../support/fake-mesh.js';
import { listen, listening, openRaw, readAnswer, readAnswers } from '../support/raw-http.js';
import { startTestGateway, type TestGatewayOptions } from '../support/test-gateway.js';

async function start(limits: NonNullable<TestGatewayOptions['limits']> = {}) {
  const gateway = await startTestGateway({ limits });
  return { ...gateway, port: await listen(gateway.app) };
}

const event = (id: string) => JSON.stringify({ event: 'X', id });
const post = (body: string, more = '') =>
  `POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`;

describe('what is no HTTP', () => {
  test.each([
    ['words', 'hello\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a header without a name', 'GET / HTTP/1.1\r\n: x\r\n\r\n'],
    ['a line break in a header', 'GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n'],
    ['another version', 'GET / HTTP/9.9\r\nHost: localhost\r\n\r\n'],
    ['two lengths', 'POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'a length beside chunks',
      'POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n'],
  ])('%s is refused like everything else', async (_what, text) => {
    const { port } = await start();

    const { status, headers, body } = readAnswer(await openRaw(port, text).closed);

    expect(status).toBe(400);
    if (body === '') return;
    expect(headers['content-type']).toContain('application/problem+json');
    expect(JSON.parse(body)).toMatchObject({ status: 400, code: 'malformed-http', requestId: headers['x-request-id'] });
  });

  test('an address that is not well encoded is refused', async () => {
    const { app } = await start();

    const answer = await app.inject('/v1/events/%zz');

    expect(answer.json()).toMatchObject({ status: 400, code: 'malformed-http' });
    expect(answer.headers['content-type']).toContain('application/problem+json');
  });

  test('a part of an address that is far too long is refused', async () => {
    const { app } = await start();

    expect((await app.inject(`/v1/events/${'x'.repeat(5_000)}`)).json()).toMatchObject({
      status: 400,
      code: 'invalid-request',
    });
  });
});

test('headers over 16 KiB are refused', async () => {
  const { port, log } = await start();

  const answer = readAnswer(
    await openRaw(port, `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`).closed,
  );

  expect(answer.status).toBe(431);
  expect(JSON.parse(answer.body)).toMatchObject({ code: 'headers-too-large' });
  expect(JSON.stringify(log)).not.toContain('xxxx');
});

describe('what takes too long to arrive', () => {
  test.each([
    ['nothing at all', ''],
    ['half a header', 'POST /v1/events HTTP/1.1\r\nHost: local'],
    ['half a body', post('x'.repeat(100)).slice(0, -50)],
  ])('%s: the connection ends', async (_what, text) => {
    const { port, mesh } = await start({ requestWithinMs: 600, headersWithinMs: 300 });
    const begun = performance.now();

    const received = await openRaw(port, text).closed;

    expect(performance.now() - begun).toBeLessThan(4_000);
    if (received !== '') expect(readAnswer(received).status).toBe(408);
    expect(mesh.stored).toEqual([]);
  });

  test('many slow ones do not keep a quick one waiting', async () => {
    const { port, mesh } = await start({ requestWithinMs: 20_000, headersWithinMs: 10_000 });
    const slow = Array.from({ length: 200 }, () => openRaw(port, post('x'.repeat(1_000)).slice(0, -500)));
    await wait(50);
    const begun = performance.now();

    const quick = openRaw(port, post(event('quick'), 'Connection: close\r\n'));

    expect(readAnswer(await quick.closed).status).toBe(202);
    expect(performance.now() - begun).toBeLessThan(10_000);
    for (const { socket } of slow) socket.destroy();
    expect(mesh.stored).toHaveLength(1);
  });
});

test('requests sent one behind the other are answered in order', async () => {
  const { port, mesh } = await start();
  mesh.storeMs = 20;

  const connection = openRaw(
    port,
    post(event('a')) + post(event('b')) + post('{"event":') + post(event('c'), 'Connection: close\r\n'),
  );
  const answers = readAnswers(await connection.closed);

  expect(answers.map(({ status }) => status)).toEqual([202, 202, 400, 202]);
  expect(mesh.stored.map(({ id }) => id).sort()).toEqual(['a', 'b', 'c']);
});

test('bodies in chunks are taken, and refused when they get too large', async () => {
  const { port, mesh } = await start({ bodyBytes: 10_000 });
  const head =
    'POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n';
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

  const good = openRaw(port, `${head}${chunk('{"event":')}${chunk('"X"}')}0\r\n\r\n`);
  const large = openRaw(port, `${head}${chunk('x'.repeat(20_000))}`);

  expect(readAnswer(await good.closed).status).toBe(202);
  expect(readAnswer(await large.closed).status).toBe(413);
  expect(mesh.stored).toHaveLength(1);
});

test('a body that is far too large still gets its answer', async () => {
  const { port } = await start();
  const body = 'x'.repeat(6 * 1024 * 1024);

  const answer = await fetch(`http://127.0.0.1:${port}/v1/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });

  expect(answer.status).toBe(413);
  expect(await answer.json()).toMatchObject({ code: 'too-large' });
});

test('who goes away before the answer disturbs nobody, and is noted', async () => {
  const mesh = createFakeMesh();
  const storing = holdStoring(mesh);
  const { app, log } = await startTestGateway({ mesh });
  const port = await listen(app);
  const gone = openRaw(port, post(event('gone')));
  const staying = openRaw(port, post(event('staying'), 'Connection: close\r\n'));
  await storing.isAsked(2);
  gone.socket.destroy();
  await eventually('a line in the log', () => (log.length === 1 ? true : undefined));
  storing.goOn();

  expect(readAnswer(await staying.closed).status).toBe(202);
  expect(mesh.stored.map(({ id }) => id).sort()).toEqual(['gone', 'staying']);
  const statuses = await eventually('two lines in the log', () =>
    log.length === 2 ? log.map(({ status }) => status) : undefined,
  );
  expect(statuses.sort()).toEqual([202, 499]);
});

test('who goes away in the middle of a body leaves nothing behind', async () => {
  const { app, port, mesh, log } = await start();
  const { hears } = listening(app);
  const gone = openRaw(port, post('x'.repeat(100)).slice(0, -50));
  await hears(1);
  gone.socket.destroy();

  await eventually('a line in the log', () => (log.length > 0 ? true : undefined));
  expect(log).toMatchObject([{ status: 499 }]);
  expect(mesh.stored).toEqual([]);
});

test('one connection too many is told so, and those that are there go on', async () => {
  const { port } = await start({ connections: 3 });
  const request = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const open = [openRaw(port), openRaw(port), openRaw(port)];
  await wait(50);

  const surplus = readAnswer(await openRaw(port, request).closed);

  expect(surplus.status).toBe(503);
  expect(surplus.headers['retry-after']).toBe('5');
  expect(JSON.parse(surplus.body)).toMatchObject({ code: 'too-many-connections' });
  open[0]?.socket.write(request);
  await eventually('an answer', () => (open[0]?.received().includes(' 200 ') ? true : undefined));
  for (const { socket } of open) socket.destroy();
  await eventually('room for another', async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { headers: { connection: 'close' } });
    return answer.status === 200 ? true : undefined;
  });
});
