import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  actionName,
  effectKey,
  fallbackEffectKey,
  recipientEffectKey,
  remediationId,
  retryEffectKey,
  watchId,
} from '#contract/ids.js';

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

test('no two agents have one effect key, whatever their actions and launchers are called', () => {
  const names = fc.oneof(
    fc.string({ minLength: 1, unit: 'grapheme' }),
    // What names are told apart by in a key, and what stands there in its place.
    fc
      .array(fc.constantFrom('~', '%7E', '%2D', 'retry-', '0123abcd', 'a', '/'), { minLength: 1 })
      .map((it) => it.join('')),
  );
  const agents = fc.record(
    { action: names, launcher: names, retryOf: fc.stringMatching(/^[0-9a-f]{8}$/) },
    { requiredKeys: ['action'] },
  );
  const keyOf = ({ action, launcher, retryOf }: { action: string; launcher?: string; retryOf?: string }) => {
    const ofAction = effectKey('remediation/t/r/e', action);
    const ofLauncher = launcher === undefined ? ofAction : fallbackEffectKey(ofAction, launcher);
    return retryOf === undefined ? ofLauncher : retryEffectKey(ofLauncher, `${retryOf}-rest`);
  };
  // Its action, launcher and retry, or an action or launcher that is called like a part of its key.
  const aliasesOf = (key: string) => {
    const [action = '', ...parts] = key.slice('remediation/t/r/e/'.length).split('~').map(decodeURIComponent);
    return parts.flatMap((part, index) => [
      { action: [action, ...parts].join('~') },
      { action: [action, ...parts.slice(0, index)].join('~'), launcher: parts.slice(index).join('~') },
      { action, launcher: part },
    ]);
  };
  const toText = (agent: object) => JSON.stringify(agent, ['action', 'launcher', 'retryOf']).toWellFormed();

  fc.assert(
    fc.property(agents, agents, (one, other) => {
      for (const another of [other, ...aliasesOf(keyOf(one))]) {
        expect(keyOf(one) === keyOf(another)).toBe(toText(one) === toText(another));
      }
    }),
  );
});

test.each([
  ['agent', 'wf', 'r/agent~wf'],
  ['agent~wf', 'a~b', 'r/agent%7Ewf~a%7Eb'],
  ['agent', 'retry-01234567', 'r/agent~retry%2D01234567'],
  ['agent', 'a-retry-b', 'r/agent~a-retry-b'],
])('the key of the fallback of %s to %s is %s', (action, launcher, key) => {
  expect(fallbackEffectKey(effectKey('r', action), launcher)).toBe(key);
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
