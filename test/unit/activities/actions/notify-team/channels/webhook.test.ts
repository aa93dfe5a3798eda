import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TEST_CA } from '#test/support/certificates.js';
import { channelDelivery } from '#test/support/channel-delivery.js';
import { type HttpTarget, startHttpTarget } from '#test/support/http-target.js';
import { aMessage } from '#test/support/notifications.js';

let target: HttpTarget;

beforeEach(async () => {
  target = await startHttpTarget();
  target.answer({ status: 204 });
});

afterEach(() => target.close());

const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`;
const OLD_SECRET = `whsec_${Buffer.from('the secret that was used before!').toString('base64')}`;
const ENV = { SIGNING: SECRET, OLD: OLD_SECRET, TOKEN: 'b3arer', CA: TEST_CA };
const EFFECT_KEY = 'remediation/default/a.rule%20x/event-1.2/tell/webhook%2Fops';

function webhook(more: Record<string, unknown> = {}, nowMs?: number) {
  const channel = { type: 'webhook', url: `${target.url}/in?x=1`, secret: '${env:SIGNING}', ...more };
  return channelDelivery(channel, {
    env: { ...ENV, HOOK: `${target.url}/h1dden` },
    ...(nowMs !== undefined && { nowMs }),
  });
}

const MESSAGE = aMessage({
  at: 1_700_000_000_000,
  outcome: 'failed',
  subject: 'Hook chain a-rule triggered',
  body: 'line 1\nline 2 \u202e',
  error: 'exit 1',
  facts: [{ label: 'Tool', value: 'Bash' }],
  did: [{ action: 'fix', type: 'spawn_fallback_agent', state: 'failed', text: 'no' }],
  toCome: [{ action: 'warm', type: 'warm_remote_capacity' }],
  quiet: [{ by: 'cooldown', untilAt: 1_700_000_060_000 }],
  links: [{ text: 'Open the run', url: 'https://temporal.example.com/run' }],
  commands: [{ what: 'Abort it', command: 'npx mesh abort x' }],
  payload: '{"a":1}',
});

test('the message is JSON that the library of Standard Webhooks verifies', async () => {
  expect(await webhook().deliver({ effectKey: EFFECT_KEY, message: MESSAGE })).toEqual({
    delivered: true,
    detail: 'taken by the webhook with 204',
  });

  expect(target.requests).toHaveLength(1);
  expect(target.requests[0]).toMatchObject({ method: 'POST', path: '/in?x=1' });
  expect(verified(SECRET)).toEqual({
    type: 'mesh.notification.remediation',
    timestamp: '2023-11-14T22:13:20.000Z',
    data: {
      effectKey: EFFECT_KEY,
      incident: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      team: 'ops',
      tenant: 'default',
      rule: 'a-rule',
      outcome: 'failed',
      subject: 'Hook chain a-rule triggered',
      body: 'line 1\nline 2 \\u202e',
      error: 'exit 1',
      facts: [{ label: 'Tool', value: 'Bash' }],
      did: [{ action: 'fix', type: 'spawn_fallback_agent', state: 'failed', text: 'no' }],
      toCome: [{ action: 'warm', type: 'warm_remote_capacity' }],
      quiet: [{ what: 'rule a-rule', until: '2023-11-14T22:14:20.000Z' }],
      links: [{ text: 'Open the run', url: 'https://temporal.example.com/run' }],
      commands: [{ what: 'Abort it', command: 'npx mesh abort x' }],
      payload: '{"a":1}',
    },
  });
});

test('the incident is the same for all that is said about one, and tells nothing of what it is made of', async () => {
  const threads = [
    '["default","r","INT-1234","t"]',
    '["default","r","INT-1234","t"]',
    '["default","r","INT-1234","u"]',
  ];
  for (const threadKey of threads) await webhook().deliver({ threadKey });

  const [first, again, other] = target.requests.map(({ body }) => JSON.parse(body).data.incident);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
  expect(target.requests.map(({ body }) => body).join('')).not.toContain('INT-1234');
});

test('the id is the effect key, with every full stop as %2E', async () => {
  await webhook().deliver({ effectKey: EFFECT_KEY });

  expect(headers()['webhook-id']).toBe('remediation/default/a%2Erule%20x/event-1%2E2/tell/webhook%2Fops');
});

test.each(['a b', 'a\r\nx: y', 'ä', '\ud800', '日本'])('the id of %j is one a header can hold', async (effectKey) => {
  expect(await webhook().deliver({ effectKey })).toMatchObject({ delivered: true });
  expect(headers()['webhook-id']).toMatch(/^[\w%:-]+$/);
  expect(decodeURIComponent(headers()['webhook-id'] ?? '')).toBe(effectKey.toWellFormed());
});

test('another attempt has the same id and body, and the time and signature of its own', async () => {
  const at = Math.floor(Date.now() / 1000) * 1000;
  await webhook({}, at - 60_000).deliver({ effectKey: EFFECT_KEY });
  await webhook({}, at).deliver({ effectKey: EFFECT_KEY });

  const [first, second] = target.requests;
  expect(second?.body).toBe(first?.body);
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect(second?.headers['webhook-timestamp']).toBe(String(at / 1000));
  expect(second?.headers['webhook-signature']).not.toBe(first?.headers['webhook-signature']);
  expect(verified(SECRET, 1)).toHaveProperty('data');
});

test('while the secret is changed, the old one and the new one verify it', async () => {
  await webhook({ previousSecret: '${env:OLD}' }).deliver();

  expect(verified(SECRET)).toEqual(verified(OLD_SECRET));
  expect(() => verified(`whsec_${Buffer.from('another').toString('base64')}`)).toThrow('No matching signature found');
});

test('the address may be a secret, and a token may go along; neither is repeated', async () => {
  target.answer((response, { path, headers: { authorization } }) => {
    response.writeHead(403).end(`not ${path} with ${authorization}`);
  });
  const answer = await webhook({ url: '${env:HOOK}', token: '${env:TOKEN}' }).deliver();

  expect(headers()['authorization']).toBe('Bearer b3arer');
  expect(answer).toEqual({ delivered: false, isFinal: true, reason: 'the webhook answered 403: not *** with ***' });
});

test('a certificate of an authority of its own is trusted when it is named', async () => {
  const secure = await startHttpTarget({ certificate: 'localhost' });
  const url = `https://localhost:${secure.port}/`;

  expect(await webhook({ url }).deliver()).toMatchObject({ delivered: false });
  expect(await webhook({ url, ca: '${env:CA}' }).deliver()).toMatchObject({ delivered: true });
  expect(secure.requests).toHaveLength(1);
  await secure.close();
});

describe('the answer', () => {
  test.each([200, 201, 202, 204])('%i is delivered', async (status) => {
    target.answer({ status });

    expect(await webhook().deliver()).toMatchObject({ delivered: true });
  });

  test.each([
    [400, true],
    [401, true],
    [409, true],
    [410, true],
    [408, false],
    [502, false],
  ])('%i: final %s', async (status, isFinal) => {
    target.answer({ status });

    expect(await webhook().deliver()).toEqual({
      delivered: false,
      reason: `the webhook answered ${status}`,
      isFinal,
    });
  });

  test('that leads elsewhere is not followed', async () => {
    const elsewhere = await startHttpTarget();
    target.answer({ status: 307, headers: { location: `${elsewhere.url}/` } });

    expect(await webhook().deliver()).toMatchObject({ delivered: false, isFinal: false });
    expect(elsewhere.connections()).toBe(0);
    await elsewhere.close();
  });
});

test.each(['whsec_not base64!', 'whsec_'])('a secret that is none (%s) is named, and not shown', async (secret) => {
  const { deliver } = channelDelivery(
    { type: 'webhook', url: target.url, secret: '${env:SIGNING}' },
    { env: { SIGNING: secret } },
  );

  await expect(deliver()).rejects.toThrow('the signing secret ${env:SIGNING} is not whsec_ and a key in Base64');
  expect(target.connections()).toBe(0);
});

test('a dry run shows the body and the id, and no more of the address than people need', () => {
  const { destination, preview } = webhook().prepare({ effectKey: EFFECT_KEY, message: MESSAGE });

  expect(destination).toBe(`webhook ${target.url}/in`);
  expect(preview[0]?.text).toBe('remediation/default/a%2Erule%20x/event-1%2E2/tell/webhook%2Fops');
  expect(JSON.parse(preview[1]?.text ?? '')).toMatchObject({ data: { effectKey: EFFECT_KEY } });
  expect(webhook({ url: '${env:HOOK}' }).prepare().destination).toBe('webhook ${env:HOOK}');
  expect(target.connections()).toBe(0);
});

function headers(index = 0): Record<string, string> {
  return target.requests[index]?.headers as Record<string, string>;
}

/** What the receiver reads with a secret; throws when the signature does not fit. */
function verified(secret: string, index = 0): unknown {
  return new Webhook(secret).verify(target.requests[index]?.body ?? '', headers(index));
}
