import { describe, expect, test } from 'vitest';
import { boundMessage, redactMessage } from '#activities/actions/notify-team/message/texts-of-message.js';
import { TEXT_FIELDS } from '#contract/notification.js';
import { createRedactor } from '#contract/text/redact/redact.js';
import { MAX_RECEIVERS } from '#contract/limits.js';
import { makeComposeNotification } from '#activities/actions/notify-team/compose.js';
import { aMeshConfig, aMessage, aNotifyRequest, aRemediation } from '#test/support/notifications.js';

const MAX_BYTES = 48 * 1024;
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** As many bytes of JSON for one character as there can be. */
const COSTLY = '\u0000'.repeat(100_000);

const widest = () =>
  aMessage({
    ...{ subject: COSTLY, prognosis: COSTLY, body: COSTLY, payloadLine: COSTLY, error: COSTLY, payload: COSTLY },
    facts: Array.from({ length: 13 }, () => ({ label: 'Reported by', value: COSTLY })),
    did: Array.from({ length: 100 }, (_, n) => ({
      ...{ action: `${n} ${COSTLY}`, type: 'spawn_fallback_agent', state: 'executed', text: COSTLY },
    })),
    toCome: Array.from({ length: 100 }, () => ({ action: COSTLY, type: 'warm_remote_capacity', onlyIf: COSTLY })),
    quiet: Array.from({ length: 100 }, () => ({
      by: 'repeats' as const,
      actions: Array.from({ length: 20 }, () => COSTLY),
      fields: Array.from({ length: 20 }, () => COSTLY),
      untilAt: 1,
    })),
    links: [{ text: 'Open the run', url: 'x'.repeat(2_000) }],
    commands: Array.from({ length: 4 }, (_, n) => ({
      ...{ what: 'See how it stands', command: 'x'.repeat(1_000) },
      // Only an abort has one.
      ...(n === 3 && { note: COSTLY }),
    })),
  });

test('whatever is in it, a message stays under 48 KiB, and shows where it was cut', () => {
  const bounded = boundMessage(widest());

  expect(bytesOf(bounded)).toBeLessThan(MAX_BYTES);
  // The line belongs to the body, so both have what a body may have.
  expect(bytesOf(bounded.body) + bytesOf(bounded.payloadLine)).toBeGreaterThan(14_000);
  expect(bytesOf(boundMessage(aMessage({ body: COSTLY })).body)).toBeGreaterThan(16_000);
  expect(bounded.body).toMatch(/… \[cut: \d{5} more characters\]$/);
  expect(bounded.did[0]).toEqual({ action: '84 more before', type: '', state: 'not shown here' });
  expect(bounded.did.at(-1)?.action).toMatch(/^99 .*\[cut:/s);
  expect(bounded.toCome?.at(-1)).toEqual({ action: '84 more', type: '' });
});

test('the long texts are cut shorter where more than 20 receivers get them, so that all of it stays under 1.5 MB', () => {
  const long = aMessage({ body: COSTLY, error: COSTLY, payload: COSTLY });
  const inFull = boundMessage(long);

  expect(boundMessage(long, 20)).toEqual(inFull);
  for (const receivers of [40, 100]) {
    expect(bytesOf(boundMessage(long, receivers)) * receivers).toBeLessThan(bytesOf(inFull) * 20 + receivers * 2_000);
  }
  expect(boundMessage(long, 100).body).toMatch(/… \[cut: \d+ more characters\]$/);
});

test('to as many receivers as there may be it goes with one answer of the workflow, of which the server takes 4 MiB', () => {
  const whatGoesAlong = 2_000;

  expect((bytesOf(boundMessage(widest(), MAX_RECEIVERS)) + whatGoesAlong) * MAX_RECEIVERS).toBeLessThan(
    4 * 1024 * 1024,
  );
});

test('no character is cut in half, and what is short stays as it is', () => {
  const short = aMessage({ did: [{ action: 'a', type: 't', state: 'executed', text: 'x'.repeat(4_900) }], toCome: [] });

  expect(boundMessage(short)).toEqual(short);
  expect(boundMessage(aMessage({ body: '🦊'.repeat(10_000) })).body).toMatch(/^(🦊)+… \[cut: \d+ more characters\]$/u);
});

test('what one action before has little need of is left to the others', () => {
  const did = [9, 4_000, 9_000].map((length, n) => ({
    ...{ action: `a-${n}`, type: 't', state: 'executed', text: 'x'.repeat(length) },
  }));

  const sizes = boundMessage(aMessage({ did })).did.map(({ text = '' }) => text.length);

  expect(sizes[0]).toBe(9);
  expect(sizes[1]).toBeGreaterThan(2_000);
  expect(sizes[2]).toBe(sizes[1]);
});

test('a message is bounded when it is written', async () => {
  const config = aMeshConfig({ notify: { defaultTeam: 'ops' } });
  const compose = makeComposeNotification({
    config: { get: async () => ({ available: true as const, value: config, hash: 'h', problems: [] }) },
    redactKeys: [],
    temporalUi: undefined,
    temporal: { address: '127.0.0.1:7233', namespace: 'default' },
  });
  const messageTemplate = '${ERROR}'.repeat(9);
  const actions = [{ type: 'notify_team' as const, id: 'tell', messageTemplate }];

  const draft = await compose(
    aNotifyRequest(aRemediation({ actions, event: { payload: { error: '"'.repeat(60_000) } } })),
  );

  expect(bytesOf(draft)).toBeLessThan(MAX_BYTES + 2_000);
  expect(draft).toMatchObject({ message: { body: expect.stringMatching(/\[cut: \d+ more characters\]$/) } });
});

describe('every text of a message', () => {
  const SECRET = 'INT-6666';
  const redactor = createRedactor({ patterns: [/INT-\d+/g] });
  const said = `${SECRET} ${'x'.repeat(40_000)}`;
  /** As long as it is, and with something to hide, wherever a text may stand. */
  const message = aMessage({
    tenant: 'default',
    outcome: 'failed',
    ...{ subject: said, prognosis: said, body: said, payloadLine: said, error: said, payload: said },
    facts: [{ label: said, value: said }],
    did: [{ action: said, type: said, state: said, text: said }],
    toCome: [{ action: said, type: said, onlyIf: said }],
    quiet: [{ by: 'repeats', actions: [said], label: said, fields: [said], untilAt: 1 }],
    links: [{ text: said, url: 'https://temporal.example/INT-6666' }],
    commands: [{ what: said, command: 'npx mesh show INT-6666', note: said }],
  });

  test('is in the list, and leaves without what is secret', () => {
    expect(keysOf(TEXT_FIELDS).sort()).toEqual(keysOf(message).sort());

    const { links, commands, ...texts } = redactMessage(message, redactor);

    expect(JSON.stringify(texts)).not.toContain(SECRET);
    // What somebody opens or pastes works only as it stands.
    expect(links).toEqual([{ text: expect.not.stringContaining(SECRET) as string, url: message.links[0]?.url }]);
    expect(commands[0]).toEqual({
      what: expect.not.stringContaining(SECRET) as string,
      command: 'npx mesh show INT-6666',
      note: expect.not.stringContaining(SECRET) as string,
    });
  });

  test('is cut', () => {
    const bounded = boundMessage(message);

    expect(Math.max(...textsIn(bounded).map(bytesOf))).toBeLessThan(17 * 1024);
    expect(textsIn(bounded)).not.toContain(said);
  });

  test('is hidden and cut also where the list has forgotten it', () => {
    const forgotten = { ...message, whatever: { deep: [said] } };

    const { whatever } = boundMessage(redactMessage(forgotten, redactor)) as typeof forgotten;

    expect(whatever.deep[0]).not.toContain(SECRET);
    expect(bytesOf(whatever.deep[0])).toBeLessThan(400);
  });

  test('of a few words of ours stays what it is, whatever the configuration calls secret', () => {
    const hidesAll = createRedactor({ patterns: [/\w+/g] });

    expect(redactMessage(message, hidesAll)).toMatchObject({
      kind: 'remediation',
      tenant: 'default',
      rule: 'a-rule',
      outcome: 'failed',
      quiet: [{ by: 'repeats' }],
    });
  });
});

/** Where texts stand: `did.text`. */
function keysOf(value: unknown, path: string[] = []): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((one) => keysOf(one, path)))];
  if (typeof value === 'string' || (typeof value === 'object' && value !== null && 'maxBytes' in value)) {
    return [path.join('.')];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => keysOf(one, [...path, key]));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
