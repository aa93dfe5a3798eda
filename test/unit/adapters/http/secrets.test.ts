import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOutbound, type OutboundAnswer, type OutboundRequest } from '#adapters/http/create-outbound.js';
import { type HttpTarget, startHttpTarget } from '#test/support/http-target.js';

const POLICY = { privateHosts: ['127.0.0.1'] };
const SECRET = 'hunter2/"+=&secret';

const outbound = createOutbound({
  lookup: async (host) => {
    throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { hostname: host });
  },
});
let target: HttpTarget;

beforeAll(async () => {
  target = await startHttpTarget();
});

afterAll(async () => {
  await outbound.close();
  await target.close();
});

describe('no secret stands in', () => {
  it('an answer that says it back', async () => {
    target.answer({
      status: 401,
      headers: { 'x-echo': `token ${SECRET}`, 'www-authenticate': 'Bearer' },
      body: JSON.stringify({ plain: SECRET, url: encodeURIComponent(SECRET), again: `${SECRET}${SECRET}` }),
    });

    expect(await send({ secrets: [SECRET] })).toMatchObject({
      status: 401,
      headers: { 'x-echo': 'token ***', 'www-authenticate': 'Bearer' },
      text: '{"plain":"***","url":"***","again":"******"}',
    });
  });

  it.each([
    ['Authorization', `Bearer ${SECRET}`],
    ['authorization', `GenieKey ${SECRET}`],
    ['AUTHORIZATION', SECRET],
    ['Proxy-Authorization', `Basic ${SECRET}`],
  ])('an answer that says back the header %s, without being told', async (name, value) => {
    target.answer({ body: `you are ${SECRET}` });

    expect(await send({ headers: { [name]: value } })).toMatchObject({ text: 'you are ***' });
  });

  it('an answer that says the path of a secret address', async () => {
    const url = `${target.url}/services/T0/B0/abcdef?x=1`;
    target.answer((response, { path }) => response.writeHead(404).end(`Cannot POST ${path} at ${url}`));

    expect(await send({ url, secrets: [url] })).toMatchObject({ text: 'Cannot POST *** at ***' });
  });

  it.each([
    ['the last part of its path', 'unknown token sEcReT-0123'],
    ['its path without the first slash', 'no hook services/T0/B0/sEcReT-0123'],
    ['its path without what follows the question mark', 'no hook /services/T0/B0/sEcReT-0123'],
    ['the value of a parameter', 'bad key qUeRy key 0123'],
    ['the value of a parameter, as it was sent', 'bad key qUeRy%20key%200123'],
    ['a part of its path, decoded', 'bad part a b c d e f'],
    ['a part of its path in JSON in a URL', 'bad part a%2520b%2520c%2520d%2520e%2520f'],
  ])('an answer that says of a secret address %s', async (_what, body) => {
    const url = `${target.url}/services/T0/B0/a%20b%20c%20d%20e%20f/sEcReT-0123?v=2&key=qUeRy%20key%200123`;
    target.answer({ status: 404, body: body.replace('B0/', 'B0/a%20b%20c%20d%20e%20f/') });

    const answer = await send({ url, secrets: [url] });

    expect(answer.kind === 'answered' && answer.text).toMatch(/^[a-z ]*\*\*\*$/);
  });

  it('an answer, when the secret is no text that could stand in an address', async () => {
    target.answer({ body: 'sec\uFFFDret' });

    expect(await send({ secrets: ['sec\uD800ret'] })).toMatchObject({ kind: 'answered' });
  });

  it('an answer whose secrets overlap', async () => {
    target.answer({ body: 'abcd abcdefgh' });

    expect(await send({ secrets: ['abcd', 'abcdefgh'] })).toMatchObject({ text: '*** ***' });
  });

  it('an error, nor in its cause', async () => {
    const failures = [
      await send({ url: `http://host.test:port/${SECRET}`, secrets: [SECRET] }),
      await send({ url: 'http://user:hunter2secret@host.test/', secrets: ['hunter2secret'] }),
      await send({ url: 'hunter2secret://host.test/', secrets: ['hunter2secret'] }),
      await send({ url: 'http://hunter2secret.test/hunter2secret', secrets: ['hunter2secret'] }),
      await send({ headers: { hunter2secret: 'a\nb' }, secrets: ['hunter2secret'] }),
      await answeredBy('SSH-2.0 hunter2secret\r\n', { secrets: ['hunter2secret'] }),
      await redirectedTo('http://hunter2secret.test/', { secrets: ['hunter2secret'] }),
      await redirectedTo('hunter2secret:x', { secrets: ['hunter2secret'] }),
    ];

    for (const failed of failures) {
      expect(failed.kind).toBe('failed');
      expect(inspect(failed, { depth: 10 })).not.toMatch(/hunter2/);
    }
    expect(failures[3]).toMatchObject({ reason: 'getaddrinfo ENOTFOUND ***.test' });
    expect(failures[3]).not.toHaveProperty('cause');
  });

  it('an error about an address, of which only the origin is shown', async () => {
    const failed = [
      await send({ url: 'http://[/path-of-it' }),
      await send({ url: 'http://a.test/path-of-it?query-of-it' }),
      await redirectedTo('http://127.0.0.1:1/path-of-it?query-of-it'),
    ];

    expect(JSON.stringify(failed)).not.toMatch(/path-of-it|query-of-it/);
  });
});

describe('what is said stays as it is', () => {
  it('when a secret is too short to be one', async () => {
    target.answer({ body: '{"launched":true}' });

    expect(await send({ secrets: ['', 't', 'au', '"la'] })).toMatchObject({ text: '{"launched":true}' });
  });

  it('when it only has words in common with a secret address', async () => {
    const url = `${target.url}/launched/webhooks?v=2`;
    target.answer({ body: '{"launched":true,"reason":"no webhooks, v=2"}' });

    expect(await send({ url, secrets: [url] })).toMatchObject({
      text: '{"launched":true,"reason":"no webhooks, v=2"}',
    });
  });

  it('in an error without secrets, whose cause goes along', async () => {
    expect(await send({ url: 'http://127.0.0.1:1/', secrets: [SECRET] })).toMatchObject({
      reason: 'connect ECONNREFUSED 127.0.0.1:1',
      cause: expect.objectContaining({ code: 'ECONNREFUSED' }),
    });
  });
});

it('an error is one line that a terminal can show, of a bearable length', async () => {
  const answer = await send({
    url: `http://${'long-'.repeat(12)}x.${'very-'.repeat(12)}x.${'name-'.repeat(12)}x.${'a-'.repeat(12)}x/`,
  });
  const odd = createOutbound({ lookup: () => Promise.reject(new Error(`two\nlines\u0007 \u202e ${'x'.repeat(400)}`)) });
  const failed = await odd.send({ url: 'http://odd.test/', method: 'GET' }, POLICY);
  await odd.close();

  expect(answer.kind === 'failed' && answer.reason).toMatch(/^getaddrinfo ENOTFOUND long-/);
  expect(failed.kind === 'failed' && failed.reason).toMatch(/^two\\u000alines\\u0007 \\u202e x{200,}…$/);
  expect(failed.kind === 'failed' && failed.reason).toHaveLength(300);
});

function send(given: Partial<OutboundRequest> = {}, maxRedirects = 0): Promise<OutboundAnswer> {
  return outbound.send({ url: target.url, method: 'GET', ...given }, { ...POLICY, maxRedirects });
}

function answeredBy(raw: string, given: Partial<OutboundRequest>): Promise<OutboundAnswer> {
  target.answer((response) => response.socket?.end(raw));
  return send(given);
}

function redirectedTo(location: string, given: Partial<OutboundRequest> = {}): Promise<OutboundAnswer> {
  target.answer({ status: 302, headers: { location } });
  return send(given, 1);
}
