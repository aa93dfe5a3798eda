import { beforeEach, describe, expect, test } from 'vitest';
import type { Fire } from '#contract/activities.js';
import type { LoggedVerdict, MissedRule, Verdict } from '#contract/views/verdicts.js';
import { emptyMemory } from '#rules/guards/memory.js';
import { createVerdicts, KEPT_VERDICTS, type Verdicts } from '#workflows/watch/ledgers/verdicts.js';
import { anEvent } from '#test/support/builders.js';

const subject = { id: 'e1', event: 'Stop', depth: 1 };
const fire = (rule: string, action: string): Verdict => ({ verdict: 'fire', rule, action });
const cooling = (rule: string, action: string): Verdict => ({
  verdict: 'skip',
  code: 'cooldown',
  reason: 'cooling',
  rule,
  action,
});

let verdicts: Verdicts;
beforeEach(() => (verdicts = createVerdicts('default', emptyMemory(), { isInUse: () => true })));

describe('the log', () => {
  test('remembers what was decided, about which event and when', () => {
    const entries = log(subject, [fire('r', 'a'), cooling('q', 'b')], 100);

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
    expect(verdicts.list()).toEqual(entries);
  });

  test('names the remediation of a fire before that is started', () => {
    const [fired, other] = log(subject, [fire('r', 'a'), cooling('q', 'b')], 100, [], ['r']);

    expect([fired?.remediation, other?.remediation]).toEqual(['remediation/default/r/e1', undefined]);
  });

  test('names the rules that did not look at the event once, with the first entry', () => {
    const missed = [{ rule: 'other', reason: 'trigger wants Setup' }];

    const entries = log(subject, [fire('r', 'a'), fire('r', 'b')], 100, missed);

    expect(entries.map((entry) => entry.missed)).toEqual([missed, undefined]);
  });

  test('counts copies of one event in one entry, so that a storm of them pushes nothing out', () => {
    const copy: Verdict = { verdict: 'skip', code: 'duplicate', reason: 'event id already seen' };
    log(subject, [fire('r', 'a')], 1);

    for (let at = 2; at <= 1_000; at++) log(subject, [copy], at);
    log({ ...subject, id: 'e2' }, [copy], 1_001);
    log(subject, [copy], 1_002);

    expect(verdicts.list().map(({ eventId, verdict, at, times }) => ({ eventId, verdict, at, times }))).toEqual([
      { eventId: 'e1', verdict: 'fire', at: 1, times: undefined },
      { eventId: 'e2', verdict: 'skip', at: 1_001, times: undefined },
      { eventId: 'e1', verdict: 'skip', at: 1_002, times: 1_000 },
    ]);
    expect(verdicts.save().counters).toMatchObject({ events: 1_002, skipped: { duplicate: 1_001 } });
  });

  test('keeps the last 200', () => {
    for (let index = 0; index < KEPT_VERDICTS + 5; index++)
      log({ ...subject, id: `e${index}` }, [fire('r', 'a')], index);

    expect(verdicts.list()).toHaveLength(200);
    expect([verdicts.list().at(0)?.eventId, verdicts.list().at(-1)?.eventId]).toEqual(['e5', 'e204']);
  });

  test('keeps each event whole: all rows of the newest, and of the one at which the last 200 begin', () => {
    const rows = (count: number) => Array.from({ length: count }, (_, index) => fire(`rule-${index}`, 'a'));
    const kept = () => {
      const counts: Record<string, number> = {};
      for (const { eventId } of verdicts.list()) counts[eventId] = (counts[eventId] ?? 0) + 1;
      return counts;
    };

    log({ ...subject, id: 'small' }, rows(3), 1);
    log({ ...subject, id: 'large' }, rows(1_001), 2);
    expect(kept()).toEqual({ large: 1_001 });

    log({ ...subject, id: 'next' }, rows(199), 3);
    expect(kept()).toEqual({ large: 1_001, next: 199 });

    log({ ...subject, id: 'last' }, rows(1), 4);
    expect(kept()).toEqual({ next: 199, last: 1 });
  });

  test('does not take a storm of one event that cannot be judged, nor of what has no id, for one event', () => {
    const broken: Verdict = { verdict: 'skip', code: 'error', reason: 'broken' };

    for (let index = 0; index < 5_000; index++) log({ ...subject, id: '?' }, [broken], 1);
    expect(verdicts.list()).toHaveLength(200);

    for (let index = 0; index < 5_000; index++) log(subject, [broken], 1);
    expect(verdicts.list().length).toBeLessThanOrEqual(1_201);
  });

  test('cuts a long reason', () => {
    const [entry] = log(subject, [{ verdict: 'skip', code: 'error', reason: 'x'.repeat(5_000) }], 0);

    expect(entry?.verdict === 'skip' && entry.reason).toBe(`${'x'.repeat(399)}…`);
  });

  test('counts events, not actions', () => {
    log(subject, [fire('r', 'a'), fire('r', 'b')], 100);
    log(subject, [cooling('r', 'a'), cooling('r', 'b')], 200);

    expect(verdicts.save().counters).toMatchObject({ events: 2, fired: 1, skipped: { cooldown: 1 } });
    expect(verdicts.save().counters.rules).toEqual([['r', { fired: 1, skipped: { cooldown: 1 }, lastFiredAt: 100 }]]);
  });

  test('counts an event that a rule fired for in part as fired, and names what was skipped', () => {
    log(
      subject,
      [fire('r', 'a'), { verdict: 'skip', code: 'disabled', reason: 'action disabled', rule: 'r', action: 'b' }],
      100,
    );

    expect(verdicts.save().counters).toMatchObject({ events: 1, fired: 1, skipped: { disabled: 1 } });
  });

  test('counts each rule that fired', () => {
    log(subject, [fire('r', 'a'), fire('q', 'a')], 100);

    expect(counted('r')?.fired).toBe(1);
    expect(counted('q')?.fired).toBe(1);
  });

  test('counts a skip about the whole event for no rule', () => {
    log(subject, [{ verdict: 'skip', code: 'no-match', reason: 'none' }], 100);

    expect(verdicts.save().counters).toMatchObject({ events: 1, fired: 0, skipped: { 'no-match': 1 } });
    expect(verdicts.save().counters.rules.length).toBe(0);
  });
});

describe('turnIntoError', () => {
  test('shows the error where people look for the firing', () => {
    log(subject, [fire('r', 'a'), fire('r', 'b')], 100);

    verdicts.turnIntoError('e1', 'r', 'server refused');

    expect(verdicts.list().map((entry) => entry.verdict === 'skip' && [entry.code, entry.reason])).toEqual([
      ['error', 'server refused'],
      ['error', 'server refused'],
    ]);
  });

  test('counts the event as an error instead of a firing', () => {
    log(subject, [fire('r', 'a'), fire('r', 'b')], 100);

    verdicts.turnIntoError('e1', 'r', 'server refused');

    expect(verdicts.save().counters).toMatchObject({ events: 1, fired: 0, skipped: { error: 1 } });
    expect(counted('r')).toMatchObject({ fired: 0, skipped: { error: 1 } });
  });
});

/** Gives what is logged last. */
function log(
  about: { id: string; event: string; depth: number },
  said: Verdict[],
  at: number,
  missed: MissedRule[] = [],
  rules: string[] = [],
): LoggedVerdict[] {
  const fires = rules.map((rule): Fire => ({ event: anEvent({ id: about.id }), rule, actions: [] }));
  verdicts.learn?.({ at, about, verdicts: said, missed, fires });
  return verdicts.list().slice(-said.length);
}

function counted(rule: string) {
  return new Map(verdicts.save().counters.rules).get(rule);
}
