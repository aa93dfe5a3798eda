import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createOutbound, type OutboundRequest } from '#adapters/http/create-outbound.js';
import { TEST_CA } from '#test/support/certificates.js';
import { type HttpTarget, startHttpTarget } from '#test/support/http-target.js';

const POLICY = { privateHosts: ['127.0.0.1', 'front.test'] };
const TOKEN = 'token-0123456789';
const HEADERS = {
  Authorization: `Bearer ${TOKEN}`,
  Cookie: 'session=abcdef',
  'X-Api-Key': 'key-987654',
  'X-Whatever': 'anything',
  'Idempotency-Key': 'effect-1',
  'Content-Type': 'application/json',
  Accept: 'application/json',
};

const outbound = createOutbound({ lookup: async () => ['127.0.0.1'] });
let front: HttpTarget;
let other: HttpTarget;

beforeAll(async () => {
  front = await startHttpTarget();
  other = await startHttpTarget();
});

afterAll(async () => {
  await outbound.close();
  await front.close();
  await other.close();
});

beforeEach(() => {
  front.requests.length = 0;
  other.requests.length = 0;
  other.answer({ body: 'arrived' });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('%i is not followed unless allowed', async (status) => {
    front.answer({ status, headers: { location: `${other.url}/secret-path?token=1` } });

    expect(await send()).toMatchObject({
      kind: 'failed',
      isFinal: true,
      reason: `redirected to ${other.url}: no further redirect is followed (outbound.maxRedirects of mesh.yaml)`,
    });
    expect(other.requests).toEqual([]);
  });

  it.each([300, 304, 302])('%i that leads nowhere is an answer', async (status) => {
    front.answer({ status, ...(status === 300 && { headers: { location: '/other' } }) });

    expect(await send()).toMatchObject({ kind: 'answered', status });
  });

  it.each([307, 308])('%i keeps method and body', async (status) => {
    front.answer({ status, headers: { location: `${other.url}/next?a=b` } });

    expect(await send({ method: 'PUT', body: 'the body' }, 1)).toMatchObject({ kind: 'answered', text: 'arrived' });
    expect(other.requests).toMatchObject([{ method: 'PUT', path: '/next?a=b', body: 'the body' }]);
    expect(other.requests[0]?.headers).toMatchObject({ 'content-type': 'application/json' });
  });

  it.each([301, 302, 303, 307, 308])('%i of a GET is followed', async (status) => {
    front.answer({ status, headers: { location: `${other.url}/next` } });

    expect(await send({}, 1)).toMatchObject({ kind: 'answered', text: 'arrived' });
    expect(other.requests).toMatchObject([{ method: 'GET', path: '/next', body: '' }]);
  });

  it.each([
    [301, 'POST'],
    [302, 'POST'],
    [303, 'POST'],
    [302, 'DELETE'],
  ] as const)('%i of a %s is not: what a GET is answered would pass for done', async (status, method) => {
    front.answer({ status, headers: { location: `${other.url}/next` } });

    expect(await send({ method, body: 'the body' }, 5)).toMatchObject({
      kind: 'failed',
      isFinal: true,
      reason: `redirected to ${other.url} with ${status}: a ${method} goes on with 307 and 308 only`,
    });
    expect(other.requests).toEqual([]);
  });

  it('to a private address that is not named is refused there too', async () => {
    const named = createOutbound({ lookup: async (host) => [host === 'inner.test' ? '10.0.0.1' : '127.0.0.1'] });
    onTestFinished(() => named.close());
    front.answer({ status: 307, headers: { location: 'http://inner.test/' } });

    expect(
      await named.send(
        { url: `http://front.test:${front.port}/`, method: 'POST', body: 'x' },
        { ...POLICY, maxRedirects: 5 },
      ),
    ).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('10.0.0.1 of inner.test is private') as string,
    });
  });

  it('on the same origin takes all headers along', async () => {
    front.answer((response, { path }) => {
      if (path === '/') response.writeHead(307, { location: 'deeper/path' }).end();
      else response.end('arrived');
    });

    expect(await send({ headers: HEADERS, method: 'POST', body: 'x' }, 1)).toMatchObject({ text: 'arrived' });
    expect(front.requests[1]).toMatchObject({
      path: '/deeper/path',
      headers: { authorization: `Bearer ${TOKEN}`, cookie: 'session=abcdef', 'x-api-key': 'key-987654' },
    });
  });

  it.each([302, 307])('%i to another origin takes nothing along that could be secret', async (status) => {
    front.answer({ status, headers: { location: `${other.url}/` } });
    await send({ headers: HEADERS }, 1);

    const arrived = other.requests[0]?.headers ?? {};
    expect(arrived).toMatchObject({ accept: 'application/json', 'idempotency-key': 'effect-1' });
    for (const name of ['authorization', 'cookie', 'x-api-key', 'x-whatever']) expect(arrived).not.toHaveProperty(name);
  });

  it('back to the first origin brings nothing of it back', async () => {
    front.answer((response, { path }) => {
      if (path === '/') response.writeHead(307, { location: `${other.url}/` }).end();
      else response.end('back');
    });
    other.answer({ status: 307, headers: { location: `${front.url}/back` } });

    expect(await send({ headers: HEADERS }, 2)).toMatchObject({ kind: 'answered', text: 'back' });
    expect(front.requests[1]?.headers).not.toHaveProperty('authorization');
  });

  it('to the same host under another name is one to another origin', async () => {
    front.answer((response, { headers }) => {
      if (headers.host?.startsWith('127'))
        response.writeHead(307, { location: `http://front.test:${front.port}/` }).end();
      else response.end('arrived');
    });

    expect(await send({ headers: HEADERS }, 1)).toMatchObject({ text: 'arrived' });
    expect(front.requests[1]?.headers).not.toHaveProperty('authorization');
  });

  it.each([
    ['in a header that may go along', { headers: { 'Idempotency-Key': `effect-${TOKEN}` } }],
    ['in a header that the caller calls secret', { headers: { Accept: 'secret-type' }, secrets: ['secret-type'] }],
  ])('to another origin takes no secret along %s', async (_what, given) => {
    front.answer({ status: 307, headers: { location: `${other.url}/` } });
    await send({ secrets: [TOKEN], ...given }, 1);

    expect(other.requests).toHaveLength(1);
    expect(JSON.stringify(other.requests)).not.toMatch(/token-0123456789|secret-type/);
  });

  it('to another origin with a secret in the body is refused', async () => {
    front.answer({ status: 307, headers: { location: `${other.url}/` } });
    const body = JSON.stringify({ routing_key: TOKEN });

    expect(await send({ method: 'POST', body, secrets: [TOKEN] }, 1)).toMatchObject({
      kind: 'failed',
      isFinal: true,
      reason: `redirected to ${other.url}: the body holds a secret that is not meant for it`,
    });
    expect(other.requests).toEqual([]);
  });

  it('from https to http is refused', async () => {
    const secure = await startHttpTarget({ certificate: 'localhost' });
    onTestFinished(secure.close);
    secure.answer({ status: 302, headers: { location: other.url } });

    expect(await send({ url: secure.url, ca: TEST_CA }, 5)).toMatchObject({
      kind: 'failed',
      isFinal: true,
      reason: `redirected to ${other.url}: what went out encrypted does not go on in clear`,
    });
    expect(other.requests).toEqual([]);
  });

  it('to https trusts the authority that was given', async () => {
    const secure = await startHttpTarget({ certificate: 'localhost' });
    onTestFinished(secure.close);
    secure.answer({ body: 'secure' });
    front.answer({ status: 308, headers: { location: secure.url } });

    expect(await send({ ca: TEST_CA }, 1)).toMatchObject({ kind: 'answered', text: 'secure' });
  });

  it.each([0, 1, 3])('is followed %i times at most', async (maxRedirects) => {
    front.answer({ status: 302, headers: { location: '/again' } });

    expect(await send({}, maxRedirects)).toMatchObject({ kind: 'failed', isFinal: true });
    expect(front.requests).toHaveLength(maxRedirects + 1);
  });

  it('does not wait for the body of the redirect', async () => {
    front.answer((response) => void response.writeHead(302, { location: `${other.url}/` }).write('and then'));

    expect(await send({}, 1)).toMatchObject({ kind: 'answered', text: 'arrived' });
  });

  it('to where nobody is says where that was', async () => {
    front.answer({ status: 302, headers: { location: 'http://127.0.0.1:1/secret-path' } });

    expect(await send({}, 1)).toMatchObject({
      kind: 'failed',
      isFinal: false,
      reason: 'after a redirect to http://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1',
    });
  });
});

function send(given: Partial<OutboundRequest> = {}, maxRedirects?: number) {
  const request: OutboundRequest = {
    url: `${front.url}/`,
    method: 'GET',
    headers: { 'Content-Type': 'application/json' },
    ...given,
  };
  return outbound.send(request, { ...POLICY, ...(maxRedirects !== undefined && { maxRedirects }) });
}
