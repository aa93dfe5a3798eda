import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SlackBlock } from '#activities/actions/notify-team/channels/slack/blocks.js';
import { whatNext } from '#activities/actions/notify-team/message/what-next.js';
import { channelDelivery } from '#test/support/channel-delivery.js';
import { type HttpTarget, startHttpTarget } from '#test/support/http-target.js';
import { aMessage } from '#test/support/notifications.js';

let target: HttpTarget;

beforeEach(async () => {
  target = await startHttpTarget();
  target.answer({ body: 'ok' });
});

afterEach(() => target.close());

const CHANNEL = { type: 'slack', webhook: '${env:HOOK}' };
const SECRET_PATH = '/services/T0F4KE/B0F4KE/sEcReT';

function slack() {
  return channelDelivery(CHANNEL, { env: { HOOK: target.url + SECRET_PATH } });
}

const URL_OF_RUN = 'https://temporal.example.com/namespaces/default/workflows/remediation%2Fdefault%2Fa-rule%2Fevent-1';
const MESSAGE = aMessage({
  subject: 'Hook chain a-rule triggered (PostToolUseFailure/failed)',
  bodyRepeatsFacts: true,
  outcome: 'failed',
  error: 'exit 1\n```\n<b> & more',
  facts: [
    { label: 'Rule', value: 'a-rule' },
    { label: 'Tool', value: 'Bash' },
  ],
  did: [
    { action: 'fix', type: 'spawn_fallback_agent', state: 'failed', text: 'agent a-1 failed\nit said: <!channel>' },
    { action: 'notify_team', type: 'notify_team', state: 'executed' },
  ],
  quiet: [{ by: 'cooldown', untilAt: 60_000 }],
  links: [{ text: 'Open the run', url: URL_OF_RUN }],
  commands: [
    { what: 'Abort it', command: 'npx mesh abort remediation/default/a-rule/event-1', ends: true },
    { what: 'See how it stands', command: 'npx mesh show remediation/default/a-rule/event-1' },
  ],
});

test('a message is what people can act on, in blocks, with a short text for notifications', async () => {
  expect(await slack().deliver({ message: MESSAGE })).toEqual({ delivered: true, detail: 'posted to Slack' });

  const [request, ...others] = target.requests;
  expect(others).toEqual([]);
  expect(request).toMatchObject({ method: 'POST', path: SECRET_PATH, headers: { 'content-type': 'application/json' } });
  expect(JSON.parse(request?.body ?? '')).toEqual({
    text: [
      '`Hook chain a-rule triggered (PostToolUseFailure/failed)`',
      '`exit 1 ˋˋˋ &lt;b&gt; &amp; more`',
      URL_OF_RUN,
    ].join('\n'),
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      {
        type: 'header',
        text: { type: 'plain_text', text: 'Hook chain a-rule triggered (PostToolUseFailure/failed)', emoji: false },
      },
      {
        type: 'context',
        elements: [{ type: 'plain_text', text: 'Failure · 1970-01-01 00:00:00 UTC', emoji: false }],
      },
      section('*What went wrong*\n```\nexit 1\nˋˋˋ\n&lt;b&gt; &amp; more\n```'),
      section(
        '*What the mesh did*\n*failed* `fix` (`spawn_fallback_agent`)\n```\nagent a-1 failed\nit said: &lt;!channel&gt;\n```',
      ),
      section('*executed* `notify_team`'),
      section('*What happens next*'),
      { type: 'section', text: { type: 'plain_text', text: whatNext(MESSAGE).join('\n'), emoji: false } },
      {
        type: 'actions',
        elements: [
          {
            type: 'button',
            action_id: 'open-0',
            text: { type: 'plain_text', text: 'Open the run', emoji: false },
            url: URL_OF_RUN,
          },
        ],
      },
      { type: 'section', fields: [mrkdwn('*Rule*\n`a-rule`'), mrkdwn('*Tool*\n`Bash`')] },
      section('*To act*'),
      label('See how it stands'),
      section('```\nnpx mesh show remediation/default/a-rule/event-1\n```'),
      section('*To end something*'),
      label('Abort it'),
      section('```\nnpx mesh abort remediation/default/a-rule/event-1\n```'),
    ],
  });
});

test('how old it is and how it stands come first, also where there are no blocks', async () => {
  const late = { writtenAt: 0, sentAt: 7_200_000 };
  await slack().deliver({ message: aMessage({ late, prognosis: 'Not mended: fix failed.' }) });

  const told = /^Delivered late: written 00:00:00 UTC, sent 02:00:00 UTC/;
  expect(textsOf(blocks()).slice(2, 4)).toEqual([expect.stringMatching(told), 'Not mended: fix failed.']);
  const { text } = JSON.parse(target.requests[0]?.body ?? '') as { text: string };
  expect(text.replaceAll('`', '').split('\n').slice(1, 3)).toEqual([
    expect.stringMatching(told),
    'Not mended: fix failed.',
  ]);
});

test('of many actions the last ones are shown, since they are nearest to what is to be done', async () => {
  const did = Array.from({ length: 14 }, (_, index) => ({ action: `a-${index}`, type: 'x', state: 'failed' }));
  await slack().deliver({ message: aMessage({ did }) });

  const shown = textsOf(blocks()).join('\n');
  expect(shown).toContain('*What the mesh did*\nThere were others before these.\n');
  expect(shown.match(/`a-\d+`/g)).toEqual(did.slice(4).map(({ action }) => `\`${action}\``));
});

test("a rule's own text is shown as plain text, with its lines", async () => {
  await slack().deliver({ message: aMessage({ body: 'Look at *this*:\n<https://evil.example|the run>' }) });

  expect(blocks()[2]).toEqual({
    type: 'section',
    text: { type: 'plain_text', text: 'Look at *this*:\n&lt;https://evil.example|the run&gt;', emoji: false },
  });
});

test('a link that is no plain web address becomes no button', async () => {
  const links = ['javascript:alert(1)', 'https://a.example/x|y', 'https://a.example/<b>', 'https://a.example/ x'];
  await slack().deliver({ message: aMessage({ links: links.map((url) => ({ text: 'x', url })) }) });

  expect(blocks().some(({ type }) => type === 'actions')).toBe(false);
  for (const url of links) expect(target.requests[0]?.body).not.toContain(url);
});

test('an empty text does not make Slack refuse the message', async () => {
  const message = aMessage({ subject: '', body: ' \n', error: '', facts: [{ label: '', value: '' }] });
  await slack().deliver({ message });

  for (const text of textsOf(blocks())) expect(text.trim()).not.toBe('');
});

describe('of a message too large', () => {
  const LONG = '<&>`'.repeat(5_000);
  const message = aMessage({
    subject: LONG,
    body: `${LONG}at the end of the body`,
    error: `at the end of the body ${LONG}`,
    facts: Array.from({ length: 40 }, (_, index) => ({ label: `Fact ${index} ${LONG}`, value: LONG })),
    did: Array.from({ length: 60 }, (_, index) => ({ action: `a-${index}`, type: LONG, state: 'failed', text: LONG })),
    quiet: Array.from({ length: 60 }, () => ({ by: 'cooldown' as const, label: LONG, untilAt: 1 })),
    links: Array.from({ length: 20 }, () => ({ text: LONG, url: URL_OF_RUN })),
    commands: Array.from({ length: 60 }, () => ({ what: LONG, command: LONG })),
    payload: LONG,
  });

  test('what matters most is sent, within every limit of Slack', async () => {
    await slack().deliver({ message });

    expect(blocks().length).toBeLessThanOrEqual(50);
    for (const block of blocks()) {
      expect(Math.max(...textsOf([block]).map((text) => text.length))).toBeLessThanOrEqual(longest(block));
      if ('fields' in block) expect(block.fields.length).toBeLessThanOrEqual(10);
      if ('elements' in block) expect(block.elements.length).toBeLessThanOrEqual(5);
    }
    expect(JSON.stringify(blocks()).length).toBeLessThan(12_000);
  });

  test('the error and the button stay, and it says that there is more', async () => {
    await slack().deliver({ message });

    expect(textsOf(blocks()).some((text) => text.startsWith('*What went wrong*'))).toBe(true);
    expect(blocks().some(({ type }) => type === 'actions')).toBe(true);
    expect(textsOf(blocks()).at(-1)).toBe('There is more than fits here.');
  });

  test('no character of markup is cut in half', async () => {
    await slack().deliver({ message });

    for (const text of textsOf(blocks())) expect(text.replace(/&(amp|lt|gt);/g, '')).not.toMatch(/[&<>]/);
  });
});

describe('the answer', () => {
  test.each([
    ['plain ok', { body: 'ok\n' }],
    ['the ok of other programs', { body: '{"ok":true}' }],
    ['their success', { body: '{ "success": true }' }],
  ])('%s is delivered', async (_what, answer) => {
    target.answer(answer);

    expect(await slack().deliver()).toMatchObject({ delivered: true });
  });

  test('200 with something else is nothing Slack says: a page in between must not pass for delivered', async () => {
    target.answer({ body: '<html>Sign in to the network</html>' });

    expect(await slack().deliver()).toEqual({
      delivered: false,
      reason: 'the webhook answered, but not with the ok of Slack',
      isFinal: false,
      mayHaveArrived: true,
    });
  });

  test.each([
    [400, 'invalid_payload'],
    [403, 'action_prohibited'],
    [404, 'no_service'],
    [404, 'channel_not_found'],
    [410, 'channel_is_archived'],
  ])('%i %s is final', async (status, body) => {
    target.answer({ status, body });

    expect(await slack().deliver()).toEqual({
      delivered: false,
      reason: `Slack answered ${status}: ${body}`,
      isFinal: true,
    });
    expect(target.requests).toHaveLength(1);
  });

  test.each(['invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long'])(
    '400 %s: the message goes out once more, without blocks',
    async (refusal) => {
      target.answer((response, { body }) => {
        if (body.includes('"blocks"')) response.writeHead(400).end(refusal);
        else response.end('ok');
      });

      expect(await slack().deliver({ message: MESSAGE })).toEqual({
        delivered: true,
        detail: 'posted to Slack as plain text: it refused the blocks',
      });
      expect(target.requests).toHaveLength(2);
      expect(JSON.parse(target.requests[1]?.body ?? '')).toMatchObject({
        text: expect.stringContaining('Hook chain a-rule triggered'),
      });
    },
  );

  test('that repeats the token of the webhook alone is shown without it', async () => {
    target.answer((response, { path }) => void response.writeHead(403).end(`invalid token ${path.split('/').at(-1)}`));

    const env = { HOOK: `${target.url}/services/T0/B0/s3cretT0ken` };
    expect(await channelDelivery(CHANNEL, { env }).deliver()).toMatchObject({
      reason: 'Slack answered 403: invalid token ***',
    });
  });

  test('that repeats the address of the webhook is shown without it', async () => {
    target.answer((response, { path }) => void response.writeHead(404).end(`no ${target.url}${path} and no ${path}`));

    expect(await slack().deliver()).toMatchObject({ reason: 'Slack answered 404: no *** and no ***' });
  });
});

test('without its secret it waits for whoever sets it', async () => {
  await expect(channelDelivery(CHANNEL).deliver()).rejects.toThrow('environment variable HOOK is not set');
});

test('a dry run shows the message, and where it goes without the secret', () => {
  const { destination, preview } = slack().prepare({ message: MESSAGE });

  expect(destination).toBe('Slack, incoming webhook ${env:HOOK}');
  expect(preview.map(({ part }) => part)).toEqual(['message', 'body']);
  expect(preview[0]?.text).toContain(`[Open the run] ${URL_OF_RUN}`);
  expect(preview[0]?.text).toContain('Rule a-rule is quiet until 00:01:00 UTC');
  expect(JSON.stringify(preview)).not.toContain('sEcReT');
  expect(target.connections()).toBe(0);
});

function mrkdwn(text: string) {
  return { type: 'mrkdwn', text, verbatim: true };
}

function label(text: string) {
  return { type: 'context', elements: [{ type: 'plain_text', text, emoji: false }] };
}

function section(text: string) {
  return { type: 'section', text: mrkdwn(text) };
}

function blocks(): SlackBlock[] {
  return JSON.parse(target.requests[0]?.body ?? '').blocks;
}

function textsOf(given: SlackBlock[]): string[] {
  return given.flatMap((block) => {
    switch (block.type) {
      case 'header':
        return block.text.text;
      case 'section':
        return 'text' in block ? block.text.text : block.fields.map(({ text }) => text);
      case 'context':
        return block.elements.map(({ text }) => text);
      case 'actions':
        return block.elements.map(({ text }) => text.text);
    }
  });
}

/** As Slack documents it. */
function longest(block: SlackBlock): number {
  if (block.type === 'header') return 150;
  if (block.type === 'actions') return 75;
  return 'fields' in block || block.type === 'context' ? 2_000 : 3_000;
}
