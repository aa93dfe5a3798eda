import { expect, test } from 'vitest';
import { STOP_WITHIN_MS, stopGateway } from '#client/gateway/stop-gateway.js';
import { eventually } from '../support/eventually.js';
import { createFakeMesh, holdStoring } from '../support/fake-mesh.js';
import { listen, listening, openRaw, readAnswers } from '../support/raw-http.js';
import { startTestGateway } from '../support/test-gateway.js';

const post = (id: string) => {
  const body = JSON.stringify({ event: 'X', id });
  return `POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

async function timed(work: Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work;
  return performance.now() - begun;
}

test('a stop finishes what is on its way, and lets nobody else in', async () => {
  const mesh = createFakeMesh();
  const storing = holdStoring(mesh);
  const { app } = await startTestGateway({ mesh });
  const port = await listen(app);
  const busy = openRaw(port, post('before'));
  const idle = openRaw(port, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await storing.isAsked(1);
  await eventually('an answer', () => idle.received().includes(' 200 ') || undefined);

  const stopped = timed(stopGateway(app, () => mesh.close()));
  await eventually('a closed door', () => !app.server.listening || undefined);
  storing.goOn();
  const tookMs = await stopped;

  const [answer] = readAnswers(await busy.closed);
  expect(answer).toMatchObject({ status: 202, headers: { connection: 'close' } });
  expect(mesh.stored.map(({ id }) => id)).toEqual(['before']);
  expect(readAnswers(await idle.closed)).toMatchObject([{ status: 200 }]);
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
  // It did not give up on anything.
  expect(tookMs).toBeLessThan(STOP_WITHIN_MS);
  expect(mesh.isClosed).toBe(true);
});

test('a request that arrives while it stops is told so; a probe for life hears that there is life', async () => {
  const mesh = createFakeMesh();
  const storing = holdStoring(mesh);
  const { app } = await startTestGateway({ mesh });
  const port = await listen(app);
  const { hears } = listening(app);
  const busy = openRaw(port, post('before'));
  const [late, probe] = [openRaw(port, post('after').slice(0, 30)), openRaw(port, 'GET /healthz HTTP/1.1\r\n')];
  await Promise.all([storing.isAsked(1), hears(3)]);

  const stopping = stopGateway(app, () => mesh.close());
  late.socket.write(post('after').slice(30));
  probe.socket.write('Host: localhost\r\n\r\n');

  const [refusal] = readAnswers(await late.closed);
  expect(refusal).toMatchObject({ status: 503, headers: { connection: 'close', 'retry-after': '5' } });
  expect(JSON.parse(refusal?.body ?? '')).toMatchObject({ code: 'stopping' });
  expect(readAnswers(await probe.closed)).toMatchObject([{ status: 200 }]);
  storing.goOn();
  expect(readAnswers(await busy.closed)).toMatchObject([{ status: 202 }]);
  await stopping;
  expect(mesh.stored.map(({ id }) => id)).toEqual(['before']);
});

test('requests that hang and connections that do nothing do not hold it up', async () => {
  const { app, mesh } = await startTestGateway();
  const port = await listen(app);
  mesh.storeMs = 60_000;
  const { hears } = listening(app);
  openRaw(port);
  openRaw(
    port,
    'POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
  );
  openRaw(port, post('hangs'));
  await hears(2);

  const tookMs = await timed(stopGateway(app, () => new Promise(() => undefined)));

  expect(tookMs).toBeLessThan(4 * STOP_WITHIN_MS);
});
