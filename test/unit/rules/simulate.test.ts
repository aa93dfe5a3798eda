import { describe, expect, test } from 'vitest';
import type { MeshEvent } from '#contract/event.js';
import { simulate } from '#rules/simulate.js';
import {
  aLoadedRuleset,
  anEvent,
  aRule,
  aRuleset,
  type WrittenRule,
  type WrittenRuleset,
} from '../../support/builders.js';

describe('simulate', () => {
  test('starts from an empty memory each time', () => {
    const loaded = aLoadedRuleset(aRuleset([aRule({ cooldownMs: 1_000 })]));
    const steps = [{ atMs: 0, event: anEvent() }];

    expect(simulate(loaded, steps)).toEqual(simulate(loaded, steps));
  });

  test('answers for each step', () => {
    expect(simulate(aLoadedRuleset(), [])).toEqual([]);
    expect(simulate(aLoadedRuleset(), [step(0, { id: 'a' }), step(0, { id: 'b' })])).toHaveLength(2);
  });

  test('recognises an event it has seen, whatever has changed about it', () => {
    const [, again] = judge([aRule()], [step(0, { id: 'x' }), step(90_000_000, { id: 'x', payload: { other: 1 } })]);

    expect(again).toEqual([{ verdict: 'skip', code: 'duplicate', reason: 'event id already seen' }]);
  });

  test('recognises a duplicate even of an event that was refused', () => {
    const [refused, again] = judge([aRule()], [step(0, { id: 'x', depth: 9 }), step(1, { id: 'x' })]);

    expect([refused?.[0], again?.[0]]).toEqual([
      expect.objectContaining({ code: 'max-depth' }),
      expect.objectContaining({ code: 'duplicate' }),
    ]);
  });

  test('judges an event that could not be judged when it is sent again', () => {
    const [broken, mended] = judge([aRule()], [step(0, { id: 'x', event: 'not a name' }), step(1, { id: 'x' })]);

    expect([broken?.[0], mended?.[0]]).toEqual([
      expect.objectContaining({ code: 'error' }),
      expect.objectContaining({ verdict: 'fire' }),
    ]);
  });

  test('turns an event that cannot be judged into a verdict', () => {
    const [verdicts] = judge([aRule()], [step(0, { event: 'not an event name' })]);

    expect(verdicts).toEqual([
      { verdict: 'skip', code: 'error', reason: expect.stringMatching(/^not a valid event: event: /) as string },
    ]);
  });
});

describe('the order of judging', () => {
  test.each<[string, Partial<WrittenRuleset>, string]>([
    ['an old event is stale before anything else is said of it', { enabled: false, maxEventAgeMs: 10 }, 'stale'],
    ['a disabled ruleset says so before a word about depth', { enabled: false }, 'disabled'],
    ['depth comes before matching', {}, 'max-depth'],
  ])('%s', (_, file, code) => {
    const [verdicts] = judge([], [step(1_000, { depth: 9, occurredAt: 0 })], file);

    expect(verdicts).toEqual([expect.objectContaining({ verdict: 'skip', code })]);
  });

  test.each([
    [10, 'fire'],
    [11, 'skip'],
  ])('an event %d ms old, of 10 allowed, gets %s', (ageMs, verdict) => {
    const [verdicts] = judge([aRule()], [step(1_000, { occurredAt: 1_000 - ageMs })], { maxEventAgeMs: 10 });

    expect(verdicts?.[0]?.verdict).toBe(verdict);
  });

  test('an event from the future, by a clock that goes fast, is not stale', () => {
    const [verdicts] = judge([aRule()], [step(0, { occurredAt: 5_000 })], { maxEventAgeMs: 10 });

    expect(verdicts).toEqual([{ verdict: 'fire', rule: 'a-rule', action: 'tell' }]);
  });

  test('a stale event arms nothing', () => {
    const verdicts = judge(
      [aRule({ cooldownMs: 1_000 })],
      [step(100, { id: 'old', occurredAt: 0 }), step(100, { id: 'new', occurredAt: 100 })],
      {
        maxEventAgeMs: 10,
      },
    );

    expect(verdicts.map(([first]) => first?.verdict)).toEqual(['skip', 'fire']);
  });

  test('cooldown comes before disabled and dedup, for every action', () => {
    const rule = aRule({
      cooldownMs: 100,
      dedupWindowMs: 100,
      actions: [
        { type: 'notify_team', id: 'a' },
        { type: 'notify_team', id: 'b', enabled: false },
      ],
    });

    const [, again] = judge([rule], [step(0, { id: '1' }), step(40, { id: '2' })]);

    expect(again).toEqual(
      ['a', 'b'].map((action) => ({
        verdict: 'skip',
        rule: 'a-rule',
        action,
        code: 'cooldown',
        reason: 'rule cooldown active for 60ms',
        untilAt: 100,
      })),
    );
  });

  test('disabled comes before dedup', () => {
    const rule = aRule({ dedupWindowMs: 100, actions: [{ type: 'notify_team', id: 'a', enabled: false }] });

    const verdicts = judge([rule], [step(0, { id: '1' }), step(1, { id: '2' })]);

    expect(verdicts.flat().map((verdict) => verdict.verdict === 'skip' && verdict.reason)).toEqual([
      'action disabled',
      'action disabled',
    ]);
  });
});

describe('arming', () => {
  test('a repeat that dedup refuses does not start a new cooldown', () => {
    const rule = aRule({ cooldownMs: 50, dedupWindowMs: 1_000 });

    const verdicts = judge(
      [rule],
      [step(0, { id: '1' }), step(60, { id: '2' }), step(70, { id: '3', payload: { other: 1 } })],
    );

    expect(verdicts.map(([first]) => (first?.verdict === 'skip' ? first.code : first?.verdict))).toEqual([
      'fire',
      'dedup',
      'fire',
    ]);
  });

  test('one action that fires arms the cooldown for all', () => {
    const rule = aRule({
      cooldownMs: 50,
      actions: [
        { type: 'notify_team', id: 'a', dedupWindowMs: 1_000 },
        { type: 'notify_team', id: 'b', dedupWindowMs: 0 },
      ],
    });

    const verdicts = judge([rule], [step(0, { id: '1' }), step(60, { id: '2' }), step(70, { id: '3' })]);

    expect(verdicts.map((some) => some.map((one) => (one.verdict === 'skip' ? one.code : one.verdict)))).toEqual([
      ['fire', 'fire'],
      ['dedup', 'fire'],
      ['cooldown', 'cooldown'],
    ]);
  });

  test('shadow arms cooldown and dedup like a firing', () => {
    const shadow = judge(
      [aRule({ mode: 'shadow', cooldownMs: 50, dedupWindowMs: 100 })],
      [step(0, { id: '1' }), step(10, { id: '2' }), step(60, { id: '3' })],
    );

    expect(shadow.flat()).toEqual([
      expect.objectContaining({ code: 'shadow', reason: 'shadow mode: would fire', rule: 'a-rule', action: 'tell' }),
      expect.objectContaining({ code: 'cooldown', reason: 'rule cooldown active for 40ms' }),
      expect.objectContaining({ code: 'dedup', reason: 'dedup window active for 40ms' }),
    ]);
  });

  test('a shadow rule and an enforced one do not disturb each other', () => {
    const both = [aRule({ id: 'shadow', mode: 'shadow', cooldownMs: 100 }), aRule({ id: 'enforced' })];

    const verdicts = judge(both, [step(0, { id: '1' }), step(1, { id: '2' })]);

    expect(verdicts.map((some) => some.map((one) => (one.verdict === 'skip' ? one.code : one.verdict)))).toEqual([
      ['shadow', 'fire'],
      ['cooldown', 'fire'],
    ]);
  });

  test('cooldownBy lets another session through', () => {
    const rule = aRule({ cooldownMs: 100, cooldownBy: ['session'] });

    const verdicts = judge(
      [rule],
      [step(0, { id: '1', session: 'a' }), step(1, { id: '2', session: 'b' }), step(2, { id: '3', session: 'a' })],
    );

    expect(verdicts.map(([first]) => first?.verdict)).toEqual(['fire', 'fire', 'skip']);
  });
});

function step(atMs: number, event: Partial<MeshEvent>) {
  return { atMs, event: anEvent(event) };
}

function judge(rules: WrittenRule[], steps: ReturnType<typeof step>[], file: Partial<WrittenRuleset> = {}) {
  return simulate(aLoadedRuleset(aRuleset(rules, file)), steps);
}
