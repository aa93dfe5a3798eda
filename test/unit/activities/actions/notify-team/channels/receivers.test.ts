import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type ChannelDelivery, channelDelivery, type ChannelDeliveryOptions } from '#test/support/channel-delivery.js';
import { type HttpTarget, startHttpTarget } from '#test/support/http-target.js';

// What every channel over HTTP does when its receiver is not well.

const SIGNING = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`;

interface OverHttp {
  who: string;
  taken: { status: number; body?: string };
  at(url: string, allowed?: Pick<ChannelDeliveryOptions, 'privateHosts' | 'maxRedirects'>): ChannelDelivery;
}

const CHANNELS: OverHttp[] = [
  {
    who: 'Slack',
    taken: { status: 200, body: 'ok' },
    at: (url, allowed) =>
      channelDelivery({ type: 'slack', webhook: '${env:HOOK}' }, { env: { HOOK: url }, ...allowed }),
  },
  {
    who: 'PagerDuty',
    taken: { status: 202, body: '{"status":"success"}' },
    at: (url, allowed) =>
      channelDelivery({ type: 'pagerduty', routingKey: '${env:PD}', url }, { env: { PD: 'k' }, ...allowed }),
  },
  {
    who: 'the webhook',
    taken: { status: 204 },
    at: (url, allowed) =>
      channelDelivery({ type: 'webhook', url, secret: '${env:S}' }, { env: { S: SIGNING }, ...allowed }),
  },
];

let target: HttpTarget;

beforeEach(async () => {
  target = await startHttpTarget();
});

afterEach(() => target.close());

describe.each(CHANNELS)('$who', ({ who, taken, at }) => {
  test('that takes the message gets it once', async () => {
    target.answer(taken);

    expect(await at(target.url).deliver()).toMatchObject({ delivered: true });
    expect(target.requests).toHaveLength(1);
  });

  test.each([
    [429, '7', 7_000],
    [503, '120', 120_000],
    [503, 'soon', undefined],
  ])('that answers %i with Retry-After %s is asked again when it wants', async (status, header, retryAfterMs) => {
    target.answer({ status, headers: { 'retry-after': header } });

    expect(await at(target.url).deliver()).toEqual({
      delivered: false,
      reason: `${who} answered ${status}`,
      isFinal: false,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  });

  test.each([500, 502, 408])('that answers %i is asked again', async (status) => {
    target.answer({ status, body: '<html>a page nobody wants to read</html>' });

    expect(await at(target.url).deliver()).toEqual({
      delivered: false,
      reason: `${who} answered ${status}`,
      isFinal: false,
    });
  });

  test.each<[string, (response: { socket: { resetAndDestroy(): void; end(): void } | null }) => void]>([
    ['resets the connection', ({ socket }) => socket?.resetAndDestroy()],
    ['hangs up', ({ socket }) => socket?.end()],
  ])('that %s is asked again', async (_what, answer) => {
    target.answer((response) => answer({ socket: response.socket }));

    expect(await at(target.url).deliver()).toMatchObject({
      delivered: false,
      reason: expect.stringContaining(`${who} did not say whether it took it: `),
      isFinal: false,
    });
  });

  test('that is not there is asked again', async () => {
    const { url } = target;
    await target.close();

    expect(await at(url).deliver()).toMatchObject({
      delivered: false,
      reason: expect.stringContaining('ECONNREFUSED'),
      isFinal: false,
    });
    target = await startHttpTarget();
  });

  test.each(['wrong-host', 'expired', 'self-signed'] as const)(
    'with a certificate that is %s gets nothing',
    async (certificate) => {
      const impostor = await startHttpTarget({ certificate });
      onTestFinished(impostor.close);
      impostor.answer(taken);

      expect(await at(`https://localhost:${impostor.port}/`).deliver()).toMatchObject({
        delivered: false,
        reason: expect.stringContaining('the TLS certificate is not trusted'),
        // Somebody renews it, and the message still arrives.
        isFinal: false,
      });
      expect(impostor.requests).toEqual([]);
    },
  );

  test.each([301, 302, 303, 307, 308])('that leads elsewhere with %i is asked again', async (status) => {
    target.answer({ status, headers: { location: 'https://elsewhere.example/' } });

    expect(await at(target.url).deliver()).toMatchObject({
      delivered: false,
      reason: expect.stringContaining('redirected to https://elsewhere.example'),
      isFinal: false,
    });
  });

  test.each([300, 304])('that answers %i is asked again', async (status) => {
    target.answer({ status });

    expect(await at(target.url).deliver()).toMatchObject({ delivered: false, isFinal: false });
  });

  test('whose answer has no end is asked again', async () => {
    target.answer({ body: 'x'.repeat(2 * 1024 * 1024) });

    expect(await at(target.url).deliver()).toMatchObject({
      delivered: false,
      reason: expect.stringContaining('larger than 1 MiB'),
      isFinal: false,
    });
  });

  test('that has moved is followed once that is allowed, with the whole message', async () => {
    target.answer((response, { path }) => {
      if (path === '/new') response.writeHead(taken.status).end(taken.body);
      else response.writeHead(308, { location: '/new' }).end();
    });

    expect(await at(target.url).deliver()).toMatchObject({ delivered: false });
    expect(await at(target.url, { maxRedirects: 1 }).deliver()).toMatchObject({ delivered: true });
    expect(target.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /', 'POST /', 'POST /new']);
    expect(target.requests[2]?.body).toBe(target.requests[1]?.body);
  });

  test('at a private address that is not named gets no connection', async () => {
    expect(await at(target.url, { privateHosts: [] }).deliver()).toMatchObject({
      delivered: false,
      reason: expect.stringContaining('name the host in outbound.privateHosts'),
      isFinal: false,
    });
    expect(target.connections()).toBe(0);
  });
});

test('each of them that is slow is left after the time limit', async () => {
  target.answer(() => undefined);

  // Side by side, and long enough for a busy machine to hand every message over.
  const answers = await Promise.all(CHANNELS.map(({ at }) => at(target.url).deliver({ timeoutMs: 1_500 })));

  expect(answers).toMatchObject(CHANNELS.map(() => ({ delivered: false, isFinal: false })));
  expect(target.requests).toHaveLength(CHANNELS.length);
});
