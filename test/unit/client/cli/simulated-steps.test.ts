import { describe, expect, test } from 'vitest';
import { parseSteps } from '#client/cli/simulate.js';
import { createRedactor } from '#contract/text/redact/redact.js';

function stepsOf(...values: unknown[]) {
  const lines = values.map((value, index) => ({ line: index + 1, value }));
  return parseSteps(lines, 'events.jsonl', createRedactor());
}

const timesOf = (...values: unknown[]) => stepsOf(...values).map(({ atMs }) => atMs);

describe('parseSteps', () => {
  test('takes events as `send` does; without a time of their own they come at once', () => {
    const steps = stepsOf({ event: 'Stop' }, { event: 'Stop', outcome: 'failed', id: 'e-2' });

    expect(steps).toMatchObject([
      { atMs: 0, event: { id: 'simulated-1', event: 'Stop', outcome: 'unknown', occurredAt: 0 } },
      { atMs: 0, event: { id: 'e-2', outcome: 'failed' } },
    ]);
  });

  test.each<[string, unknown[], number[]]>([
    [
      'come when they happened, counted from the first',
      [
        { event: 'Stop', occurredAt: '2026-01-31T03:00:00Z' },
        { event: 'Stop', occurredAt: '2026-01-31T03:00:30Z' },
        { event: 'Stop', occurredAt: Date.UTC(2026, 0, 31, 3, 1) },
      ],
      [0, 30_000, 60_000],
    ],
    [
      'come with the one before when they do not say when',
      [{ event: 'Stop', occurredAt: 5_000 }, { event: 'Stop', occurredAt: 6_000 }, { event: 'Stop' }],
      [0, 1_000, 1_000],
    ],
    [
      'never come before the one before',
      [
        { event: 'Stop', occurredAt: 5_000 },
        { event: 'Stop', occurredAt: 9_000 },
        { event: 'Stop', occurredAt: 1_000 },
      ],
      [0, 4_000, 4_000],
    ],
    [
      'go on where a line with a time was',
      [
        { atMs: 700, event: { event: 'Stop' } },
        { event: 'Stop', occurredAt: 50_000 },
        { event: 'Stop', occurredAt: 50_100 },
      ],
      [700, 700, 800],
    ],
  ])('plain events %s', (_, values, times) => {
    expect(timesOf(...values)).toEqual(times);
  });

  test('names every line that cannot be used, in either form', () => {
    expect(() => stepsOf({ event: 'Stop', outcome: 'bad' }, { event: { event: 'Stop' } }, { event: 7 }, 'x')).toThrow(
      [
        'events.jsonl:1: outcome: expected one of success, failed, timeout, unknown, found "bad"',
        'events.jsonl:2: atMs: expected a whole number of milliseconds from 0',
        'events.jsonl:3: atMs: expected a whole number of milliseconds from 0',
        'events.jsonl:4: atMs: expected a whole number of milliseconds from 0',
      ].join('\n'),
    );
  });
});
