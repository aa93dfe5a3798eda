import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { actionName, effectKey, recipientEffectKey, remediationId, watchId } from '../../../contract/ids.js';

describe('watchId', () => {
  test('names the tenant', () => {
    expect(watchId('team-a')).toBe('watch/team-a');
  });
});

describe('remediationId', () => {
  test.each([
    ['a plain rule id', 'retry', 'remediation/t/retry/e1'],
    ['a blank', 'retry it', 'remediation/t/retry%20it/e1'],
    ['a slash', 'a/b', 'remediation/t/a%2Fb/e1'],
    ['a percent sign', '50%', 'remediation/t/50%25/e1'],
    ['an emoji', '🔥', 'remediation/t/%F0%9F%94%A5/e1'],
    ['a line break', 'a\nb', 'remediation/t/a%0Ab/e1'],
    ['half an emoji', '\ud83d', 'remediation/t/%EF%BF%BD/e1'],
  ])('keeps %s in its own segment', (_, rule, id) => {
    expect(remediationId('t', rule, 'e1')).toBe(id);
  });

  test('has four segments and tells any two rules apart', () => {
    const ruleIds = fc.string({ minLength: 1, unit: 'grapheme' });
    fc.assert(
      fc.property(ruleIds, ruleIds, (one, other) => {
        const [first, second] = [remediationId('t', one, 'e'), remediationId('t', other, 'e')];

        expect(first.split('/')).toHaveLength(4);
        expect(first === second).toBe(one === other);
      }),
    );
  });
});

describe('effectKey', () => {
  test('tells the actions of a remediation apart, even when one is named like a path', () => {
    const remediation = remediationId('t', 'r', 'e');

    const keys = [
      effectKey(remediation, 'a'),
      effectKey(remediation, 'a/b'),
      recipientEffectKey(effectKey(remediation, 'a'), 'b'),
    ];

    expect(keys).toEqual(['remediation/t/r/e/a', 'remediation/t/r/e/a%2Fb', 'remediation/t/r/e/a/b']);
  });
});

describe('actionName', () => {
  test.each([
    ['its id when it has one', { id: 'tell', type: 'notify_team' }, 'tell'],
    ['its type and place when it has none', { type: 'notify_team' }, 'notify_team:2'],
    ['its type and place when the id is undefined', { id: undefined, type: 'notify_team' }, 'notify_team:2'],
  ])('is %s', (_, action, name) => {
    expect(actionName(action, 2)).toBe(name);
  });
});
