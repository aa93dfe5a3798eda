import { describe, expect, test } from 'vitest';
import type { EventDefaults, EventInput } from '#client/event-input.js';
import { parseEvent } from '#client/parse-event.js';
import { formatProblem } from '#contract/text/problem.js';
import { createRedactor, REDACTED } from '#contract/text/redact/redact.js';

const redactor = createRedactor();
const defaults: EventDefaults = { now: 1_000, makeId: () => 'made-id' };

describe('parseEvent', () => {
  test('fills in what is absent', () => {
    expect(parseEvent({ event: 'Stop' }, defaults, redactor)).toEqual({
      ok: true,
      event: {
        id: 'made-id',
        event: 'Stop',
        outcome: 'unknown',
        tenant: 'default',
        depth: 0,
        occurredAt: 1_000,
        payload: {},
      },
    });
  });

  test('fills in what its caller knows', () => {
    const known = {
      ...defaults,
      tenant: 'team',
      depth: 2,
      source: 'cli',
      lineage: { root: 'first', parent: 'remediation/x' },
    };

    expect(eventOf({ event: 'Stop' }, known)).toMatchObject({
      tenant: 'team',
      depth: 2,
      source: 'cli',
      lineage: { root: 'first', parent: 'remediation/x' },
    });
  });

  test('lets what the event says win', () => {
    const said: EventInput = {
      id: 'own-id',
      event: 'Stop',
      outcome: 'success',
      tenant: 'mine',
      session: 's1',
      agent: 'a1',
      depth: 0,
      source: 'runtime',
      occurredAt: 5,
      lineage: { root: 'own' },
      payload: { a: 1 },
    };

    expect(eventOf(said, { ...defaults, tenant: 'team', depth: 2, source: 'cli', lineage: { root: 'first' } })).toEqual(
      said,
    );
  });

  test.each<[string, EventInput['lineage'], EventInput['lineage']]>([
    ['is added to what the event says of its chain', { root: 'own' }, { root: 'own', token: 'inherited' }],
    ['gives way to one that the event carries', { token: 'own' }, { token: 'own' }],
    ['comes with all else that was inherited', undefined, { root: 'first', token: 'inherited' }],
  ])('an inherited token %s', (_what, lineage, expected) => {
    const known = { ...defaults, lineage: { root: 'first', token: 'inherited' } };

    expect(eventOf({ event: 'Stop', ...(lineage && { lineage }) }, known).lineage).toEqual(expected);
  });

  test('takes a field that is undefined for one that is absent', () => {
    const input: EventInput = {
      event: 'Stop',
      id: undefined,
      outcome: undefined,
      tenant: undefined,
      session: undefined,
      agent: undefined,
      depth: undefined,
      source: undefined,
      occurredAt: undefined,
      lineage: undefined,
      payload: undefined,
    };

    expect(eventOf(input, { ...defaults, source: 'sdk' })).toEqual(
      eventOf({ event: 'Stop' }, { ...defaults, source: 'sdk' }),
    );
  });

  describe('finds the session', () => {
    test.each<[string, Partial<EventInput>, string | undefined]>([
      ['in the event', { session: 'own', payload: { session_id: 'other' } }, 'own'],
      ['in the payload', { payload: { session_id: 'from-payload' } }, 'from-payload'],
      [
        'in the payload when that of the event is undefined',
        { session: undefined, payload: { session_id: 'from-payload' } },
        'from-payload',
      ],
      ['nowhere when it is empty', { payload: { session_id: '' } }, undefined],
      ['nowhere when it is no text', { payload: { session_id: 7 } }, undefined],
      ['in the payload, cut to what fits', { payload: { session_id: 'x'.repeat(500) } }, 'x'.repeat(200)],
    ])('%s', (_, input, session) => {
      expect(eventOf({ event: 'Stop', ...input }).session).toBe(session);
    });

    test('and leaves it in the payload as well', () => {
      expect(eventOf({ event: 'Stop', payload: { session_id: 's' } }).payload).toEqual({ session_id: 's' });
    });
  });

  describe('reads a time', () => {
    test.each<[string | number, number]>([
      [0, 0],
      [1_700_000_000_000, 1_700_000_000_000],
      ['2026-01-02T03:04:05Z', Date.UTC(2026, 0, 2, 3, 4, 5)],
      ['2026-01-02T03:04:05.678+02:00', Date.UTC(2026, 0, 2, 1, 4, 5, 678)],
      ['2026-01-02', Date.UTC(2026, 0, 2)],
    ])('%s', (occurredAt, at) => {
      expect(eventOf({ event: 'Stop', occurredAt }).occurredAt).toBe(at);
    });

    test.each(['yesterday', '12345', '1700000000000', 'Jan 2 2026', '2026-13-45', '', -1, 1.5, null, true])(
      'but not %j',
      (occurredAt) => {
        expect(problemPaths({ event: 'Stop', occurredAt })).toEqual(['occurredAt']);
      },
    );
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'Stop'],
    ['a number', 5],
    ['a list', [{ event: 'Stop' }]],
  ])('refuses %s', (_, input) => {
    expect(parseEvent(input, defaults, redactor)).toMatchObject({
      ok: false,
      problems: [{ path: '', message: 'expected an event object' }],
    });
  });

  test('names every problem at once, with a hint where there is one', () => {
    const parsed = parseEvent(
      { evnt: 'Stop', outcome: 'fail', depth: '1', payload: 'x', Tenant: 'y' },
      defaults,
      redactor,
    );

    expect(parsed.ok ? [] : parsed.problems.map(formatProblem).sort()).toEqual([
      'Tenant: unknown key "Tenant" (did you mean "tenant"?)',
      'depth: expected a whole number from 0 to 100, found "1" (remove the quotes)',
      'event: is missing: expected an event name',
      'evnt: unknown key "evnt" (did you mean "event"?)',
      'outcome: expected one of success, failed, timeout, unknown, found "fail" (did you mean "failed"?)',
      'payload: expected an object, found "x"',
    ]);
  });

  test.each([
    ['failure', 'failed'],
    ['error', 'failed'],
    ['errored', 'failed'],
    ['ok', 'success'],
    ['succeeded', 'success'],
    ['completed', 'success'],
    ['timedout', 'timeout'],
    ['unknwon', 'unknown'],
  ])('guesses that outcome %s means %s', (outcome, meant) => {
    const parsed = parseEvent({ event: 'Stop', outcome }, defaults, redactor);

    expect(parsed).toMatchObject({ ok: false, problems: [{ path: 'outcome', hint: `did you mean "${meant}"?` }] });
  });

  test('has no guess for an outcome like no other', () => {
    const parsed = parseEvent({ event: 'Stop', outcome: 'purple' }, defaults, redactor);

    expect(parsed.ok ? [] : parsed.problems).toEqual([
      expect.not.objectContaining({ hint: expect.anything() as unknown }),
    ]);
  });

  test.each([
    'id',
    'event',
    'outcome',
    'tenant',
    'session',
    'agent',
    'depth',
    'source',
    'occurredAt',
    'lineage',
    'payload',
  ])('does not take null for an absent %s', (field) => {
    expect(problemPaths({ event: 'Stop', [field]: null })).toEqual([field]);
  });

  test('refuses a payload that would do harm', () => {
    expect(problemPaths(JSON.parse('{"event": "Stop", "payload": {"a": {"__proto__": {"isAdmin": true}}}}'))).toEqual([
      'payload.a.__proto__',
    ]);
  });

  test('refuses such a payload on its first level too, instead of losing a part of it', () => {
    expect(problemPaths(JSON.parse('{"event": "Stop", "payload": {"__proto__": {"isAdmin": true}}}'))).toEqual([
      'payload.__proto__',
    ]);
  });

  test('does not change what it was given', () => {
    const input = Object.freeze({ event: 'Stop', payload: Object.freeze({ session_id: 's' }) });

    expect(eventOf(input).payload).toEqual({ session_id: 's' });
  });
});

function eventOf(input: unknown, known = defaults) {
  const parsed = parseEvent(input, known, redactor);
  if (!parsed.ok) throw new Error(parsed.problems.map(formatProblem).join('; '));
  return parsed.event;
}

function problemPaths(input: unknown): string[] {
  const parsed = parseEvent(input, defaults, redactor);
  return parsed.ok ? [] : parsed.problems.map(({ path }) => path);
}

describe('secrets in names', () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;

  test.each([
    ['id', { id: token }],
    ['tenant', { tenant: `sk-ant-${'a1b2'.repeat(6)}` }],
    ['lineage.root', { lineage: { root: token } }],
  ])('%s that is a token by its look is refused, and not repeated', (path, given) => {
    const parsed = parseEvent({ event: 'Stop', ...given }, defaults, redactor);

    expect(parsed).toMatchObject({ ok: false, problems: [{ path, message: 'holds what looks like a secret' }] });
    expect(JSON.stringify(parsed)).not.toContain(token);
  });

  test.each(['secret:rotated', 'auth.token:refreshed', 'vault.password:changed'])(
    '%s is a good event name',
    (event) => {
      expect(parseEvent({ event, id: 'refresh-token:42' }, defaults, redactor)).toMatchObject({ ok: true });
    },
  );

  test('a problem quotes no secret', () => {
    const given = { event: 'Stop', occurredAt: token, session: `password=${'x'.repeat(300)}`, [token]: 1 };
    const text = JSON.stringify(parseEvent(given, defaults, redactor));

    expect(text).not.toContain(token);
    expect(text).not.toContain('xxxxx');
    expect(text).toContain('occurredAt');
  });
});

describe('facts', () => {
  test('are read from the payload without its secrets', () => {
    const secret = 'gh' + 'p_' + 'F4keT0ken'.repeat(4);
    const payload = { tool_name: 'Bash', error: `denied: ${secret}`, task_subject: 'x', output: `was ${secret}` };
    const redactor = createRedactor({ keys: ['task_subject'] });

    const parsed = parseEvent({ event: 'TaskCompleted', payload }, { now: 0, makeId: () => 'e' }, redactor);

    expect(parsed).toMatchObject({
      event: {
        facts: {
          tool: 'Bash',
          error: `denied: ${REDACTED}`,
          taskSubject: REDACTED,
          endsAgent: { outcome: 'success', outputTail: `was ${REDACTED}` },
        },
      },
    });
  });

  test.each([
    [{ facts: { tool: 'Bash' } }, 'facts'],
    [{ dialect: 'klingon' }, 'dialect'],
    [{ dialect: 'toString' }, 'dialect'],
    [{ dialect: 3 }, 'dialect'],
  ])('%j is refused: nobody can say other ones than the payload does', (given, path) => {
    const parsed = parseEvent({ event: 'X', ...given }, { now: 0, makeId: () => 'e' }, createRedactor());

    expect(parsed).toMatchObject({ ok: false, problems: [{ path }] });
  });

  test('the dialect is known at the door only', () => {
    const parsed = parseEvent(
      { event: 'X', dialect: 'claude-code', payload: { toolName: 'Bash' } },
      { now: 0, makeId: () => 'e' },
      createRedactor(),
    );

    expect(parsed).toMatchObject({ ok: true, event: { facts: { tool: 'Bash' } } });
    expect(parsed.ok && 'dialect' in parsed.event).toBe(false);
  });
});
