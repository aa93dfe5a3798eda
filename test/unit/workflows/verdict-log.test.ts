import { describe, expect, test } from 'vitest';
import type { Verdict } from '#contract/verdict.js';
import { KEPT_VERDICTS, logVerdicts, turnIntoError } from '#workflows/verdict-log.js';
import { loadWatchState } from '#workflows/watch-state.js';

const subject = { id: 'e1', event: 'Stop', depth: 1 };
const fire = (rule: string, action: string): Verdict => ({ verdict: 'fire', rule, action });
const cooling = (rule: string, action: string): Verdict => ({
  verdict: 'skip',
  code: 'cooldown',
  reason: 'cooling',
  rule,
  action,
});

describe('logVerdicts', () => {
  test('remembers what was decided, about which event and when', () => {
    const state = aState();

    const entries = logVerdicts(state, subject, [fire('r', 'a'), cooling('q', 'b')], 100);

    expect(entries).toEqual([
      { verdict: 'fire', rule: 'r', action: 'a', at: 100, eventId: 'e1', event: 'Stop', depth: 1 },
      {
        verdict: 'skip',
        code: 'cooldown',
        reason: 'cooling',
        rule: 'q',
        action: 'b',
        at: 100,
        eventId: 'e1',
        event: 'Stop',
        depth: 1,
      },
    ]);
    expect(state.verdicts).toEqual(entries);
  });

  test('returns the very entries it keeps, so that a fire can name its remediation later', () => {
    const state = aState();
    const [entry] = logVerdicts(state, subject, [fire('r', 'a')], 100);

    if (entry) entry.remediation = 'remediation/x';

    expect(state.verdicts[0]?.remediation).toBe('remediation/x');
  });

  test('names the rules that did not look at the event once, with the first entry', () => {
    const missed = [{ rule: 'other', reason: 'trigger wants Setup' }];

    const entries = logVerdicts(aState(), subject, [fire('r', 'a'), fire('r', 'b')], 100, missed);

    expect(entries.map((entry) => entry.missed)).toEqual([missed, undefined]);
  });

  test('counts copies of one event in one entry, so that a storm of them pushes nothing out', () => {
    const state = aState();
    const copy: Verdict = { verdict: 'skip', code: 'duplicate', reason: 'event id already seen' };
    logVerdicts(state, subject, [fire('r', 'a')], 1);

    for (let at = 2; at <= 1_000; at++) logVerdicts(state, subject, [copy], at);
    logVerdicts(state, { ...subject, id: 'e2' }, [copy], 1_001);
    logVerdicts(state, subject, [copy], 1_002);

    expect(state.verdicts.map(({ eventId, verdict, at, times }) => ({ eventId, verdict, at, times }))).toEqual([
      { eventId: 'e1', verdict: 'fire', at: 1, times: undefined },
      { eventId: 'e2', verdict: 'skip', at: 1_001, times: undefined },
      { eventId: 'e1', verdict: 'skip', at: 1_002, times: 1_000 },
    ]);
    expect(state.counters).toMatchObject({ events: 1_002, skipped: { duplicate: 1_001 } });
  });

  test('keeps the last 200', () => {
    const state = aState();

    for (let index = 0; index < KEPT_VERDICTS + 5; index++)
      logVerdicts(state, { ...subject, id: `e${index}` }, [fire('r', 'a')], index);

    expect(state.verdicts).toHaveLength(200);
    expect([state.verdicts.at(0)?.eventId, state.verdicts.at(-1)?.eventId]).toEqual(['e5', 'e204']);
  });

  test('keeps each event whole: all rows of the newest, and of the one at which the last 200 begin', () => {
    const state = aState();
    const rows = (count: number) => Array.from({ length: count }, (_, index) => fire(`rule-${index}`, 'a'));
    const kept = () => {
      const counts: Record<string, number> = {};
      for (const { eventId } of state.verdicts) counts[eventId] = (counts[eventId] ?? 0) + 1;
      return counts;
    };

    logVerdicts(state, { ...subject, id: 'small' }, rows(3), 1);
    logVerdicts(state, { ...subject, id: 'large' }, rows(1_001), 2);
    expect(kept()).toEqual({ large: 1_001 });

    logVerdicts(state, { ...subject, id: 'next' }, rows(199), 3);
    expect(kept()).toEqual({ large: 1_001, next: 199 });

    logVerdicts(state, { ...subject, id: 'last' }, rows(1), 4);
    expect(kept()).toEqual({ next: 199, last: 1 });
  });

  test('does not take a storm of one event that cannot be judged, nor of what has no id, for one event', () => {
    const state = aState();
    const broken: Verdict = { verdict: 'skip', code: 'error', reason: 'broken' };

    for (let index = 0; index < 5_000; index++) logVerdicts(state, { ...subject, id: '?' }, [broken], 1);
    expect(state.verdicts).toHaveLength(200);

    for (let index = 0; index < 5_000; index++) logVerdicts(state, subject, [broken], 1);
    expect(state.verdicts.length).toBeLessThanOrEqual(1_201);
  });

  test('cuts a long reason', () => {
    const [entry] = logVerdicts(aState(), subject, [{ verdict: 'skip', code: 'error', reason: 'x'.repeat(5_000) }], 0);

    expect(entry?.verdict === 'skip' && entry.reason).toBe(`${'x'.repeat(399)}…`);
  });

  test('counts events, not actions', () => {
    const state = aState();

    logVerdicts(state, subject, [fire('r', 'a'), fire('r', 'b')], 100);
    logVerdicts(state, subject, [cooling('r', 'a'), cooling('r', 'b')], 200);

    expect(state.counters).toMatchObject({ events: 2, fired: 1, skipped: { cooldown: 1 } });
    expect([...state.counters.rules]).toEqual([['r', { fired: 1, skipped: { cooldown: 1 }, lastFiredAt: 100 }]]);
  });

  test('counts an event that a rule fired for in part as fired, and names what was skipped', () => {
    const state = aState();

    logVerdicts(
      state,
      subject,
      [fire('r', 'a'), { verdict: 'skip', code: 'disabled', reason: 'action disabled', rule: 'r', action: 'b' }],
      100,
    );

    expect(state.counters).toMatchObject({ events: 1, fired: 1, skipped: { disabled: 1 } });
  });

  test('counts each rule that fired', () => {
    const state = aState();

    logVerdicts(state, subject, [fire('r', 'a'), fire('q', 'a')], 100);

    expect(state.counters.rules.get('r')?.fired).toBe(1);
    expect(state.counters.rules.get('q')?.fired).toBe(1);
  });

  test('counts a skip about the whole event for no rule', () => {
    const state = aState();

    logVerdicts(state, subject, [{ verdict: 'skip', code: 'no-match', reason: 'none' }], 100);

    expect(state.counters).toMatchObject({ events: 1, fired: 0, skipped: { 'no-match': 1 } });
    expect(state.counters.rules.size).toBe(0);
  });
});

describe('turnIntoError', () => {
  test('shows the error where people look for the firing', () => {
    const state = aState();
    const entries = logVerdicts(state, subject, [fire('r', 'a'), fire('r', 'b')], 100);

    turnIntoError(state, entries, 'server refused');

    expect(state.verdicts.map((entry) => entry.verdict === 'skip' && [entry.code, entry.reason])).toEqual([
      ['error', 'server refused'],
      ['error', 'server refused'],
    ]);
  });

  test('counts the event as an error instead of a firing', () => {
    const state = aState();
    const entries = logVerdicts(state, subject, [fire('r', 'a'), fire('r', 'b')], 100);

    turnIntoError(state, entries, 'server refused');

    expect(state.counters).toMatchObject({ events: 1, fired: 0, skipped: { error: 1 } });
    expect(state.counters.rules.get('r')).toMatchObject({ fired: 0, skipped: { error: 1 } });
  });
});

function aState() {
  return loadWatchState({ tenant: 'default' }, 0);
}
