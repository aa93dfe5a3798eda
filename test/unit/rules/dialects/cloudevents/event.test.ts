import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EVENT_ID, MeshEvent } from '#contract/event.js';
import { formatProblem } from '#contract/text/problem.js';
import { cloudEvent } from '#rules/dialects/cloudevents/event.js';
import type { MappedEvent } from '#rules/dialects/mapped.js';

const least = { specversion: '1.0', id: 'e-1', source: '/ci/runner', type: 'com.example.build.failed' };

describe('cloudEvent', () => {
  test('takes the least there can be', () => {
    expect(eventOf(least)).toEqual({
      event: 'com.example.build.failed',
      outcome: 'unknown',
      id: expect.stringMatching(/^ce:[0-9a-f]{16}:e-1$/) as unknown,
      source: '/ci/runner',
      payload: {},
    });
  });

  test('takes all there can be', () => {
    const event = eventOf({
      ...least,
      time: '2026-01-02T03:04:05.678+02:00',
      outcome: 'failed',
      session: 's-1',
      agent: 'a-1',
      tenant: 'acme',
      depth: 1,
      subject: 'main',
      datacontenttype: 'application/json',
      dataschema: 'https://example.com/build.json',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      data: { tool_name: 'Bash' },
    });

    expect(event).toEqual({
      event: 'com.example.build.failed',
      outcome: 'failed',
      id: eventOf(least).id,
      tenant: 'acme',
      session: 's-1',
      agent: 'a-1',
      depth: 1,
      source: '/ci/runner',
      occurredAt: '2026-01-02T03:04:05.678+02:00',
      payload: {
        tool_name: 'Bash',
        cloudevent: {
          subject: 'main',
          datacontenttype: 'application/json',
          dataschema: 'https://example.com/build.json',
          traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        },
      },
    });
    expect(problemPaths(event)).toEqual([]);
  });

  test.each<[unknown, unknown]>([
    [{ a: 1 }, { a: 1 }],
    [[1, 2], { data: [1, 2] }],
    ['text', { data: 'text' }],
    [0, { data: 0 }],
    [false, { data: false }],
    ['', { data: '' }],
    [null, {}],
    [undefined, {}],
  ])('makes of the data %j the payload %j', (data, payload) => {
    expect(eventOf({ ...least, data }).payload).toEqual(payload);
  });

  test('leaves data alone that has a key of the same name as the one for attributes', () => {
    expect(eventOf({ ...least, subject: 'main', data: { cloudevent: 'mine' } }).payload).toEqual({
      cloudevent: 'mine',
    });
  });

  test('reads an attribute that is null as one that is not set', () => {
    expect(eventOf({ ...least, time: null, subject: null, outcome: null, data_base64: null })).toEqual(eventOf(least));
  });

  test.each([
    ['7', 7],
    [7, 7],
    ['-1', '-1'],
    ['1.5', '1.5'],
    ['', ''],
    [true, true],
  ])('reads depth %j as %j', (depth, read) => {
    expect(eventOf({ ...least, depth }).depth).toBe(read);
  });

  test('reads the token of an agent', () => {
    expect(eventOf({ ...least, lineage: 'mesh1.x.y' })).toMatchObject({ lineage: { token: 'mesh1.x.y' }, payload: {} });
  });

  test.each(['outcome', 'session', 'agent', 'depth', 'tenant', 'lineage'])(
    'leaves a wrong %s to the check of the event',
    (name) => {
      expect(problemPaths(eventOf({ ...least, [name]: { not: 'that' } }))).toEqual([name]);
    },
  );

  test('cuts a source that is longer than ours may be, and still tells it from others', () => {
    const [one, other] = ['1', '2'].map((end) => eventOf({ ...least, source: `urn:${'x'.repeat(300)}${end}` }));

    expect(one?.source).toHaveLength(200);
    expect(one?.id).not.toBe(other?.id);
  });
});

describe('the id', () => {
  test('is of source and id together, and of nothing else', () => {
    const { id } = eventOf(least);

    expect(eventOf({ ...least, type: 'other', time: '2026-01-02T03:04:05Z', data: { a: 1 } }).id).toBe(id);
    expect(eventOf({ ...least, source: '/ci/other' }).id).not.toBe(id);
    expect(eventOf({ ...least, id: 'e-2' }).id).not.toBe(id);
  });

  test('fits, whatever the two are', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, unit: 'binary' }),
        fc.string({ minLength: 1, unit: 'binary' }),
        (source, id) => {
          expect(eventOf({ ...least, source, id }).id).toMatch(EVENT_ID);
        },
      ),
    );
  });
});

describe('refuses', () => {
  test.each([undefined, null, 'text', 5, [least]])('%j', (raw) => {
    expect(saidOf(raw)).toEqual(['expected a CloudEvents event']);
  });

  test.each<[Record<string, unknown>, string]>([
    [{ specversion: undefined }, 'specversion: is missing: expected "1.0"'],
    [{ specversion: '0.3' }, 'specversion: expected "1.0", found "0.3"'],
    [{ specversion: 1 }, 'specversion: expected "1.0", found a number'],
    [{ id: '' }, 'id: expected a non-empty text, found an empty text'],
    [{ id: 5 }, 'id: expected a non-empty text, found a number'],
    [{ source: undefined }, 'source: is missing: expected a non-empty text'],
    [{ type: 'com/example' }, 'found "com/example"'],
    [{ type: undefined }, 'type: is missing: expected an event name'],
    [{ time: 'yesterday' }, 'time: expected a time such as 2026-01-02T03:04:05Z, found "yesterday"'],
    [{ time: '2026-01-02' }, 'found "2026-01-02"'],
    [{ time: '2026-13-02T03:04:05Z' }, 'found "2026-13-02T03:04:05Z"'],
    [{ time: 1_700_000_000_000 }, 'time: expected a time such as 2026-01-02T03:04:05Z, found a number'],
    [{ data_base64: 'aGk=' }, 'data_base64: binary data is not taken (send JSON in `data`)'],
    [{ data_base64: '', data: {} }, 'data_base64: binary data is not taken (send JSON in `data`)'],
  ])('%j', (change, said) => {
    expect(saidOf({ ...least, ...change })).toEqual([expect.stringContaining(said)]);
  });

  test('with every problem at once', () => {
    const mapped = cloudEvent({ data_base64: 'aGk=' });

    expect(mapped.ok ? [] : mapped.problems.map(({ path }) => path)).toEqual([
      'specversion',
      'id',
      'source',
      'type',
      'data_base64',
    ]);
    expect(mapped.ok ? undefined : mapped.problem.path).toBe('specversion');
  });
});

test('never throws', () => {
  const attribute = fc.constantFrom(...Object.keys(least), 'time', 'data', 'depth', 'outcome', 'subject', '__proto__');
  const event = fc.dictionary(attribute, fc.anything()).map((fields): unknown => ({ ...least, ...fields }));

  fc.assert(
    fc.property(fc.oneof(fc.anything(), event), (raw) => {
      const mapped = cloudEvent(raw);
      if (!mapped.ok) expect(mapped.problems[0]).toBe(mapped.problem);
    }),
    { numRuns: 1_000 },
  );
});

/** What the door finds wrong, with what it fills in. */
function problemPaths(event: MappedEvent): string[] {
  const parsed = MeshEvent.safeParse({ tenant: 'default', depth: 0, ...event, occurredAt: 0 });
  return parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join('.'));
}

function eventOf(raw: unknown): MappedEvent {
  const mapped = cloudEvent(raw);
  if (!mapped.ok) throw new Error(formatProblem(mapped.problem));
  return mapped.event;
}

function saidOf(raw: unknown): string[] {
  const mapped = cloudEvent(raw);
  return mapped.ok ? ['taken'] : mapped.problems.map(formatProblem);
}
