import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createOutbound, type OutboundPolicy, type OutboundRequest } from '#adapters/http/create-outbound.js';
import { eventually } from '../../../support/eventually.js';
import { type HttpTarget, startHttpTarget, type TargetAnswer } from '../../../support/http-target.js';

const POLICY: OutboundPolicy = { privateHosts: ['127.0.0.1', 'slow-name.test', 'two.test'] };
const MIB = 1024 * 1024;
const BROKEN_OFF = 'the other side closed the connection without a whole answer';

let lookups = 0;
const outbound = createOutbound({
  lookup: async (host) => {
    lookups += 1;
    if (host === 'slow-name.test') return new Promise<string[]>(() => undefined);
    if (host === 'unknown.test') throw new Error('getaddrinfo ENOTFOUND unknown.test');
    return host === 'two.test' ? ['127.0.0.2', '127.0.0.1'] : [];
  },
});
let target: HttpTarget;

// One for each test: what is cancelled may still be on its way when the next one begins to count.
beforeEach(async () => {
  target = await startHttpTarget();
});

afterEach(() => target.close());

afterAll(() => outbound.close());

describe('a request', () => {
  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)('%s arrives as it was sent', async (method) => {
    target.answer({ status: 201, headers: { 'X-Answer': 'yes', 'set-cookie': 'a=b' }, body: 'grüß dich' });
    const body = method === 'GET' ? undefined : '{"text":"ünïcode"}';
    const answer = await outbound.send(
      {
        url: `${target.url}/a/b?c=d%20e#fragment`,
        method,
        headers: { 'Idempotency-Key': 'key-1', 'content-type': 'application/json' },
        ...(body !== undefined && { body }),
      },
      POLICY,
    );

    expect(answer).toMatchObject({
      kind: 'answered',
      status: 201,
      headers: { 'x-answer': 'yes', 'set-cookie': 'a=b' },
      text: 'grüß dich',
    });
    expect(target.requests.at(-1)).toMatchObject({
      method,
      path: '/a/b?c=d%20e',
      headers: { host: `127.0.0.1:${target.port}`, 'idempotency-key': 'key-1', 'content-type': 'application/json' },
      body: body ?? '',
    });
  });

  it('comes to the second address of a name when nobody is at the first', async () => {
    target.answer({ body: 'here' });

    expect(await send({ url: `http://two.test:${target.port}/` })).toMatchObject({ kind: 'answered', text: 'here' });
  });

  it('leaves no connection behind', async () => {
    target.answer({ body: 'done' });
    await send();

    await eventually('end of all connections', () => target.openConnections() === 0 || undefined);
  });

  it('is not sent through a proxy of the environment', async () => {
    const proxy = await startHttpTarget();
    onTestFinished(proxy.close);
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'all_proxy']) {
      vi.stubEnv(name, proxy.url);
    }
    vi.stubEnv('NO_PROXY', '');
    target.answer({ body: 'direct' });

    expect(await send()).toMatchObject({ kind: 'answered', text: 'direct' });
    expect(proxy.connections()).toBe(0);
  });

  it.each([
    ['a line break in a header', { 'x-note': 'a\r\nx-other: b' }, 'the request cannot be sent: invalid x-note header'],
    ['a line break in a name', { 'x-a\r\nx-b': 'c' }, 'the request cannot be sent: invalid header key'],
    ['a length of its own', { 'Content-Length': '1' }, /^the request cannot be sent: Request body length/],
    ['a framing of its own', { 'Transfer-Encoding': 'chunked' }, /^the request cannot be sent: /],
    ['another host', { Host: 'other.test' }, 'the header host is taken from the address and cannot be set'],
  ])('with %s is not sent', async (_what, headers, reason) => {
    expect(await send({ method: 'POST', headers, body: 'body' })).toMatchObject({
      kind: 'failed',
      isFinal: true,
      reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
    });
    expect(target.requests).toEqual([]);
  });
});

describe('an answer', () => {
  it('of exactly 1 MiB is taken', async () => {
    target.answer({ body: 'x'.repeat(MIB) });
    const answer = await send();

    expect(answer).toMatchObject({ kind: 'answered', status: 200 });
    expect(answer.kind === 'answered' && answer.text.length).toBe(MIB);
  });

  it.each<[string, TargetAnswer]>([
    ['of a byte more', { body: 'x'.repeat(MIB + 1) }],
    ['without an end', pour],
    ['of 2 MiB in characters of two bytes', { status: 500, body: 'ü'.repeat(MIB) }],
  ])('%s is too large', async (_what, answer) => {
    target.answer(answer);

    expect(await send()).toMatchObject({ kind: 'failed', isFinal: true, reason: 'the answer is larger than 1 MiB' });
  });

  it('with headers without an end is too large', async () => {
    target.answer((response) => response.socket?.end(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(70_000)}\r\n\r\n`));

    expect(await send()).toMatchObject({
      kind: 'failed',
      isFinal: true,
      reason: 'the headers of the answer are too large',
    });
  });

  it.each<[string, TargetAnswer, string | RegExp]>([
    ['a reset', (response) => response.socket?.resetAndDestroy(), 'read ECONNRESET'],
    ['an end before it', (response) => response.socket?.end(), BROKEN_OFF],
    ['an end in it', (response) => breakOff(response.writeHead(200, { 'content-length': 9 })), BROKEN_OFF],
    ['an end in its chunks', (response) => breakOff(response.writeHead(200)), BROKEN_OFF],
    ['another protocol', (response) => response.socket?.end('220 mail.test\r\n'), /^Response does not match the HTTP/],
  ])('that is %s may come another time', async (_what, answer, reason) => {
    target.answer(answer);

    expect(await send({ method: 'POST', body: 'x' })).toMatchObject({
      kind: 'failed',
      isFinal: false,
      reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
    });
  });

  it('that nobody gives names who did not', async () => {
    const { port, close } = await startSilentServer();
    await close();

    expect(await send({ url: `http://127.0.0.1:${port}/` })).toMatchObject({
      kind: 'failed',
      isFinal: false,
      reason: `connect ECONNREFUSED 127.0.0.1:${port}`,
      cause: expect.objectContaining({ code: 'ECONNREFUSED' }) as unknown,
    });
    expect(await send({ url: `http://two.test:${port}/` })).toMatchObject({
      reason: `connect ECONNREFUSED 127.0.0.2:${port}`,
      isFinal: false,
    });
  });

  it.each([
    ['http://empty.test/', 'empty.test has no address'],
    ['http://unknown.test/', 'getaddrinfo ENOTFOUND unknown.test'],
  ])('of a name that leads nowhere may come another time: %s', async (url, reason) => {
    expect(await send({ url })).toMatchObject({ kind: 'failed', isFinal: false, reason });
  });
});

/** What there is to wait for in a call that does not end by itself. */
const HANGING: [string, Partial<OutboundRequest>, TargetAnswer][] = [
  ['the name', { url: 'http://slow-name.test/' }, {}],
  ['the first byte', {}, () => undefined],
  ['the headers', {}, (response) => response.socket?.write('HTTP/1.1 200 OK\r\nx-a:')],
  ['the end of a dripping body', {}, (response) => drip(response.writeHead(200))],
  ['the end of a redirect chain', {}, (response) => setTimeout(redirectToSelf, 40, response)],
];

describe('within its time', () => {
  it.each(HANGING)('waits for %s', async (_what, given, answer) => {
    target.answer(answer);
    const begun = performance.now();
    const failed = await outbound.send(
      { url: target.url, method: 'GET', timeoutMs: 200, ...given },
      { ...POLICY, maxRedirects: 1_000 },
    );

    expect(failed).toMatchObject({ kind: 'failed', isFinal: false });
    expect(failed.kind === 'failed' && failed.reason).toMatch(/no answer within 200ms$/);
    // Far from the ten seconds that a call has by itself, and from what a busy machine adds.
    expect(performance.now() - begun).toBeLessThan(8_000);
    await eventually('end of all connections', () => target.openConnections() === 0 || undefined);
  });

  it('waits for whoever accepts and says nothing over TLS', async () => {
    const silent = await startSilentServer();
    onTestFinished(silent.close);

    expect(await send({ url: `https://127.0.0.1:${silent.port}/`, timeoutMs: 100 })).toMatchObject({
      kind: 'failed',
      isFinal: false,
      reason: 'no answer within 100ms',
    });
  });

  it('takes ten seconds when none are given', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const answer = send({ url: 'http://slow-name.test/' });
    await vi.advanceTimersByTimeAsync(9_999);
    expect(await Promise.race([answer, Promise.resolve('still waiting')])).toBe('still waiting');
    await vi.advanceTimersByTimeAsync(1);

    expect(await answer).toMatchObject({ reason: 'no answer within 10000ms' });
  });

  it('that is longer than a timer can be is no time at all', async () => {
    target.answer({ body: 'in time' });

    expect(await send({ timeoutMs: Number.MAX_SAFE_INTEGER })).toMatchObject({ text: 'in time' });
  });
});

describe('whether the other side may have the request is known', () => {
  it.each<[string, Partial<OutboundRequest>, TargetAnswer, true | undefined]>([
    ['when it breaks off', {}, (response) => response.socket?.destroy(), true],
    ['when its name is not found', { url: 'http://unknown.test/' }, {}, undefined],
    ['when it has answered, with a redirect that is not followed', {}, redirectToSelf, undefined],
  ])('%s', async (_what, given, answer, mayHaveArrived) => {
    target.answer(answer);

    const failed = await send(given);

    expect(failed.kind).toBe('failed');
    expect(failed.kind === 'failed' && failed.mayHaveArrived).toBe(mayHaveArrived);
  });

  it.each<[string, Partial<OutboundRequest>, TargetAnswer, true | undefined]>([
    ['when it never answers', {}, () => undefined, true],
    ['when its answer has no end', {}, (response) => drip(response.writeHead(200)), true],
    ['when its name is never found', { url: 'http://slow-name.test/' }, {}, undefined],
  ])('%s', async (_what, given, answer, mayHaveArrived) => {
    // The time is over when the test says so, and not while the request is still on its way.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    target.answer(answer);
    const before = lookups;

    const failing = send({ timeoutMs: 200, ...given });
    await eventually('begin of the call', () => lookups > before || target.requests.length > 0 || undefined);
    await vi.advanceTimersByTimeAsync(200);

    const failed = await failing;
    expect(failed.kind).toBe('failed');
    expect(failed.kind === 'failed' && failed.mayHaveArrived).toBe(mayHaveArrived);
  });

  it('when it does not speak TLS', async () => {
    const silent = await startSilentServer();
    onTestFinished(silent.close);

    const failed = await send({ url: `https://127.0.0.1:${silent.port}/`, timeoutMs: 100 });

    expect(failed).not.toHaveProperty('mayHaveArrived');
  });

  it('when it is cancelled', async () => {
    const controller = new AbortController();
    const asked = startedRequest();
    const cancelled = send({ signal: controller.signal });
    await asked;
    controller.abort();

    expect(await cancelled).toEqual({ kind: 'cancelled', mayHaveArrived: true });
  });
});

describe('cancelled', () => {
  it.each(HANGING)('while it waits for %s, is over at once', async (_what, given, answer) => {
    const controller = new AbortController();
    const before = lookups;
    target.answer(answer);
    const cancelled = outbound.send(
      { url: target.url, method: 'GET', signal: controller.signal, ...given },
      { ...POLICY, maxRedirects: 1_000 },
    );
    await eventually('begin of the call', () => lookups > before || target.requests.length > 0 || undefined);
    controller.abort();

    expect(await cancelled).toMatchObject({ kind: 'cancelled' });
    await eventually('end of all connections', () => target.openConnections() === 0 || undefined);
  });

  it('before it began, connects to nobody', async () => {
    expect(await send({ signal: AbortSignal.abort() })).toEqual({ kind: 'cancelled' });
    await send();
    expect(target.connections()).toBe(1);
  });

  it('after its answer, keeps it', async () => {
    const controller = new AbortController();
    target.answer({ body: 'there' });
    const answer = await send({ signal: controller.signal });
    controller.abort();

    expect(answer).toMatchObject({ kind: 'answered', text: 'there' });
  });
});

describe('close', () => {
  it('ends what is under way, which may be tried again elsewhere, and lets nothing begin', async () => {
    const closing = createOutbound();
    const waiting = startedRequest();
    const answer = closing.send({ url: target.url, method: 'GET' }, POLICY);
    await waiting;
    await closing.close();

    const stopped = { kind: 'failed', isFinal: false, reason: 'this worker is stopping' };
    expect(await answer).toEqual({ ...stopped, mayHaveArrived: true });
    expect(await closing.send({ url: target.url, method: 'GET' }, POLICY)).toEqual(stopped);
  });
});

function send(given: Partial<OutboundRequest> = {}) {
  return outbound.send({ url: target.url, method: 'GET', ...given }, POLICY);
}

/** A request has arrived, which gets no answer. */
function startedRequest(): Promise<void> {
  return new Promise((resolve) => target.answer(() => resolve()));
}

/** A part of the body, and then the end of the connection. */
function breakOff(response: ServerResponse): void {
  response.write('four', () => response.socket?.end());
}

/** A body that goes on for as long as somebody takes it. */
function pour(response: ServerResponse): void {
  while (!response.destroyed && response.write('x'.repeat(65_536)));
  response.once('drain', () => pour(response));
}

/** A body that never stops and never fills anything. */
function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write('.'), 10);
  response.once('close', () => clearInterval(timer));
}

function redirectToSelf(response: ServerResponse): void {
  response.writeHead(302, { location: '/again' }).end();
}

/** Accepts, and says nothing. */
async function startSilentServer(): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
