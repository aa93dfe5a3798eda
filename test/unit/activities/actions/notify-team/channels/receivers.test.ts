import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type ChannelDelivery, channelDelivery } from '../../../../../support/channel-delivery.js';
import { type HttpTarget, startHttpTarget, type TargetAnswer } from '../../../../../support/http-target.js';

// What every channel over HTTP does when its receiver is not well.

const SIGNING = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`;

interface OverHttp {
  who: string;
  taken: TargetAnswer;
  at(url: string, privateHosts?: string[]): ChannelDelivery;
}

const CHANNELS: OverHttp[] = [
  {
    who: 'Slack',
    taken: { body: 'ok' },
    at: (url, privateHosts) =>
      channelDelivery({ type: 'slack', webhook: '${env:HOOK}' }, { env: { HOOK: url }, ...withHosts(privateHosts) }),
  },
  {
    who: 'PagerDuty',
    taken: { status: 202, body: '{"status":"success"}' },
    at: (url, privateHosts) =>
      channelDelivery(
        { type: 'pagerduty', routingKey: '${env:PD}', url },
        { env: { PD: 'k' }, ...withHosts(privateHosts) },
      ),
  },
  {
    who: 'the webhook',
    taken: { status: 204 },
    at: (url, privateHosts) =>
      channelDelivery(
        { type: 'webhook', url, secret: '${env:S}' },
        { env: { S: SIGNING }, ...withHosts(privateHosts) },
      ),
  },
];

function withHosts(privateHosts: string[] | undefined) {
  return privateHosts === undefined ? {} : { privateHosts };
}

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

  test('that is slow is left after the time limit', async () => {
    target.answer(() => undefined);

    expect(await at(target.url).deliver({ timeoutMs: 150 })).toMatchObject({ delivered: false, isFinal: false });
    expect(target.requests).toHaveLength(1);
  });

  test.each<[string, (response: { socket: { resetAndDestroy(): void; end(): void } | null }) => void]>([
    ['resets the connection', ({ socket }) => socket?.resetAndDestroy()],
    ['hangs up', ({ socket }) => socket?.end()],
  ])('that %s is asked again', async (_what, answer) => {
    target.answer((response) => answer({ socket: response.socket }));

    expect(await at(target.url).deliver()).toMatchObject({
      delivered: false,
      reason: expect.stringContaining(`${who} did not take it: `),
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
        isFinal: true,
      });
      expect(impostor.requests).toEqual([]);
    },
  );

  test('at a private address that is not named gets no connection', async () => {
    expect(await at(target.url, []).deliver()).toMatchObject({
      delivered: false,
      reason: expect.stringContaining('name the host in outbound.privateHosts'),
      isFinal: true,
    });
    expect(target.connections()).toBe(0);
  });
});
