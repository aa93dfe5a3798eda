import { describe, expect, it } from 'vitest';
import { channelOf } from '#activities/actions/notify-team/channels/index.js';
import { parseMeshConfig } from '#config/mesh-config.js';
import {
  CHANNEL_TYPES,
  EmailChannel,
  InboxChannel,
  PagerDutyChannel,
  SlackChannel,
  WebhookChannel,
} from '#config/sections/channels.js';
import { channelDelivery } from '../support/channel-delivery.js';
import { aMessage } from '../support/notifications.js';
import { codeBlocksOf, codesBelow, headingsOf, readText, tableBelow } from './markdown.js';
import { fieldsOf } from './schema-fields.js';

const PAGE = 'docs/actions/notify-team.md';

it('has a section for every channel', () => {
  expect(headingsOf(readText(PAGE))).toEqual(expect.arrayContaining(CHANNEL_TYPES));
});

describe('lists the fields, with defaults, of', () => {
  it.each([
    ['slack', SlackChannel],
    ['pagerduty', PagerDutyChannel],
    ['webhook', WebhookChannel],
    ['inbox', InboxChannel],
  ])('%s', (type, schema) => {
    const rows = tableBelow(PAGE, type);
    const fields = fieldsOf(schema).filter(({ path }) => path !== 'type');

    expect(rows.map((row) => row['field']?.replaceAll('`', '')).sort()).toEqual(fields.map(({ path }) => path).sort());
    for (const { path, default: value, isRequired } of fields) {
      const shown = rows.find((row) => row['field'] === `\`${path}\``)?.['default']?.replaceAll('`', '');
      if (value !== undefined) expect(shown, path).toBe(value);
      if (isRequired) expect(shown, path).toBe('required');
    }
  });

  it('email, which has none of its own', () => {
    expect(fieldsOf(EmailChannel).map(({ path }) => path)).toEqual(['type', 'name']);
  });
});

it('shows channels that are valid, one of each type', () => {
  const examples = codeBlocksOf(readText(PAGE)).filter((block) => block.startsWith('channels:'));
  const types = examples.map((block) => {
    const indented = block.replace(/^/gm, '    ').trimEnd();
    const parsed = parseMeshConfig(`teams:\n  ops:\n    members: [{ name: ada }]\n${indented}\n`, '/etc/mesh.yaml');
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    return parsed.value.teams['ops']?.channels.map((channel) => (channelOf(channel), channel.type));
  });

  expect(types.flat().sort()).toEqual([...CHANNEL_TYPES].sort());
});

describe('shows what is sent as it is:', () => {
  it('the body of a webhook', () => {
    const shown = codeBlocksOf(readText(PAGE)).find((block) => block.includes('"mesh.notification.remediation"')) ?? '';
    const one = { outcome: 'failed', error: 'x', payload: 'x', facts: [{ label: 'x', value: 'x' }] } as const;
    const message = aMessage({
      ...one,
      verdict: 'x',
      facts: [{ label: 'x', value: 'x' }],
      did: [{ action: 'x', type: 'x', state: 'x', text: 'x' }],
      toCome: [{ action: 'x', type: 'x', onlyIf: 'x' }],
      quiet: [{ what: 'x', untilAt: 1 }],
      links: [{ text: 'x', url: 'https://x.example' }],
      commands: [{ what: 'x', command: 'x', note: 'x' }],
    });
    const channel = { type: 'webhook', url: '${env:X}', secret: '${env:X}' };
    const [, body] = channelDelivery(channel).prepare({ message }).preview;

    expect(shapeOf(JSON.parse(shown))).toEqual(shapeOf(JSON.parse(body?.text ?? '')));
  });

  it('the entry of an inbox', () => {
    expect(codesBelow(PAGE, 'inbox', 'field', 1)).toEqual(['from', 'text', 'summary', 'timestamp', 'read', 'id']);
  });
});

/** Fields and kinds, without values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
}
