import { expect, test } from 'vitest';
import { boundMessage } from '#activities/actions/notify-team/message/bound-message.js';
import { MAX_RECEIVERS } from '#contract/limits.js';
import { makeComposeNotification } from '#activities/actions/notify-team/compose.js';
import { aMeshConfig, aMessage, aNotifyRequest, aRemediation } from '#test/support/notifications.js';

const MAX_BYTES = 48 * 1024;
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** As many bytes of JSON for one character as there can be. */
const COSTLY = '\u0000'.repeat(100_000);

const widest = () =>
  aMessage({
    ...{ subject: COSTLY, verdict: COSTLY, body: COSTLY, error: COSTLY, payload: COSTLY },
    facts: Array.from({ length: 13 }, () => ({ label: 'Reported by', value: COSTLY })),
    did: Array.from({ length: 100 }, (_, n) => ({
      ...{ action: `${n} ${COSTLY}`, type: 'spawn_fallback_agent', state: 'executed', text: COSTLY },
    })),
    toCome: Array.from({ length: 100 }, () => ({ action: COSTLY, type: 'warm_remote_capacity', onlyIf: COSTLY })),
    quiet: Array.from({ length: 100 }, () => ({ what: COSTLY, untilAt: 1, onlyRepeats: true })),
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
  expect(bytesOf(bounded.body)).toBeGreaterThan(16_000);
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
  const messageTemplate = '${ERROR}';
  const actions = [{ type: 'notify_team' as const, id: 'tell', messageTemplate }];

  const draft = await compose(
    aNotifyRequest(aRemediation({ actions, event: { payload: { error: '"'.repeat(60_000) } } })),
  );

  expect(bytesOf(draft)).toBeLessThan(MAX_BYTES + 2_000);
  expect(draft).toMatchObject({ message: { body: expect.stringMatching(/\[cut: \d+ more characters\]$/) } });
});
