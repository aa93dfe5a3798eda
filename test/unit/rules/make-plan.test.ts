import { describe, expect, test } from 'vitest';
import { defaultsOf } from '#contract/actions/index.js';
import { type FiredRule, makePlan } from '#rules/make-plan.js';
import { anEvent, aRule, aRuleset, type WrittenAction } from '../../support/builders.js';

describe('makePlan', () => {
  test('fixes all a remediation needs', () => {
    const event = anEvent({ id: 'e1' });
    const ruleset = aRuleset([
      aRule({
        id: 'r',
        actions: [
          {
            type: 'spawn_fallback_agent',
            id: 'spawn',
            description: 'd',
            promptTemplate: 'p',
            agentType: 'a',
            model: 'm',
          },
        ],
      }),
    ]);

    const plan = makePlan(ruleset, fired({ rule: 'r', actions: ['spawn'], event }));

    expect(plan).toEqual({
      id: 'remediation/default/r/e1',
      rule: 'r',
      rulesetHash: 'hash',
      firedAt: 5,
      event,
      actions: [
        {
          type: 'spawn_fallback_agent',
          name: 'spawn',
          effectKey: 'remediation/default/r/e1/spawn',
          description: 'd',
          promptTemplate: 'p',
          agentType: 'a',
          model: 'm',
          await: 'launched',
          timeoutMs: 600_000,
          retry: { maxAttempts: 3, initialIntervalMs: 5_000, maxIntervalMs: 60_000 },
        },
      ],
    });
  });

  test('notes until when an equal event is a repetition, for each action that fired and has a window', () => {
    const actions: WrittenAction[] = [
      { type: 'notify_team', id: 'a' },
      { type: 'notify_team', id: 'b', dedupWindowMs: 0 },
      { type: 'notify_team', id: 'c', dedupWindowMs: 7_000 },
      { type: 'notify_team', id: 'd' },
    ];
    const ruleset = aRuleset([aRule({ actions, dedupBy: ['payload.task_id'] })], { defaultDedupWindowMs: 2_000 });

    expect(makePlan(ruleset, fired({ actions: ['a', 'b', 'c'] }))?.repeats).toEqual({
      by: ['payload.task_id'],
      until: [
        { action: 'a', untilAt: 2_005 },
        { action: 'c', untilAt: 7_005 },
      ],
    });
  });

  test('looks past an action that is switched off', () => {
    const actions: WrittenAction[] = [
      { type: 'spawn_fallback_agent', id: 'a' },
      { type: 'notify_team', id: 'b', enabled: false },
      { type: 'notify_team', id: 'c', onlyIf: 'failed' },
    ];

    const plan = makePlan(aRuleset([aRule({ actions })]), fired({ actions: ['a', 'c'] }));

    expect(plan?.actions.map(({ name, after }) => [name, after])).toEqual([
      ['a', undefined],
      ['c', 'a'],
    ]);
  });

  test('looks past an action that hangs on another and did not fire', () => {
    const actions: WrittenAction[] = [
      { type: 'spawn_fallback_agent', id: 'repair' },
      { type: 'notify_team', id: 'good-news', onlyIf: 'success', dedupWindowMs: 3_600_000 },
      { type: 'notify_team', id: 'wake-someone', onlyIf: 'failed' },
    ];
    const ruleset = aRuleset([aRule({ actions })]);
    const afterOf = (fires: string[]) => makePlan(ruleset, fired({ actions: fires }))?.actions.at(-1)?.after;

    expect(afterOf(['repair', 'good-news', 'wake-someone'])).toBe('good-news');
    expect(afterOf(['repair', 'wake-someone'])).toBe('repair');
    expect(afterOf(['wake-someone'])).toBe('repair');
  });

  test('names what an action with onlyIf comes after, even if that one did not fire', () => {
    const actions: WrittenAction[] = [
      { type: 'notify_team', onlyIf: 'success' },
      { type: 'spawn_fallback_agent' },
      { type: 'notify_team', id: 'c', onlyIf: 'failed' },
      { type: 'notify_team', id: 'd' },
    ];

    const plan = makePlan(aRuleset([aRule({ actions })]), fired({ actions: ['notify_team:0', 'c', 'd'] }));

    expect(plan?.actions.map(({ name, after }) => [name, after])).toEqual([
      ['notify_team:0', undefined],
      ['c', 'spawn_fallback_agent:1'],
      ['d', undefined],
    ]);
  });

  test('has an agent that a limit kept from firing too, where it stands in the rule, and what comes after looks at it', () => {
    const actions: WrittenAction[] = [
      { type: 'spawn_fallback_agent', id: 'repair' },
      { type: 'spawn_fallback_agent', id: 'again', onlyIf: 'failed' },
      { type: 'notify_team', id: 'wake', onlyIf: 'failed' },
    ];
    const refused = ['repair', 'again'].map((action) => ({ action, reason: 'too many' }));

    const plan = makePlan(aRuleset([aRule({ actions })]), fired({ actions: ['wake'], refused }));

    expect(plan?.actions.map(({ name, after, refused }) => [name, after, refused])).toEqual([
      ['repair', undefined, 'too many'],
      ['again', 'repair', 'too many'],
      ['wake', 'again', undefined],
    ]);
  });

  test('takes the actions that fired only, in the order of the rule', () => {
    const actions: WrittenAction[] = [
      { type: 'notify_team' },
      { type: 'notify_team', id: 'b' },
      { type: 'warm_remote_capacity' },
    ];

    const plan = makePlan(
      aRuleset([aRule({ actions })]),
      fired({ actions: ['warm_remote_capacity:2', 'notify_team:0'] }),
    );

    expect(plan?.actions.map(({ name, type }) => [name, type])).toEqual([
      ['notify_team:0', 'notify_team'],
      ['warm_remote_capacity:2', 'warm_remote_capacity'],
    ]);
  });

  test("hands over what is asked of the action, and nothing that is the guards' business", () => {
    const actions: WrittenAction[] = [
      {
        type: 'notify_team',
        id: 'tell',
        enabled: true,
        dedupWindowMs: 9,
        teamName: 't',
        recipients: ['x'],
        summary: 's',
        messageTemplate: 'm',
      },
    ];

    const plan = makePlan(aRuleset([aRule({ actions })]), fired());

    expect(Object.keys(plan?.actions[0] ?? {}).sort()).toEqual([
      'effectKey',
      'messageTemplate',
      'name',
      'recipients',
      'retry',
      'summary',
      'teamName',
      'timeoutMs',
      'type',
    ]);
  });

  test.each<[string, WrittenAction['retry'], object]>([
    ['the defaults', undefined, { maxAttempts: 5, initialIntervalMs: 1_000, maxIntervalMs: 30_000 }],
    ['fewer attempts', { maxAttempts: 1 }, { maxAttempts: 1, initialIntervalMs: 1_000, maxIntervalMs: 30_000 }],
    [
      'a longer first interval',
      { initialIntervalMs: 20_000 },
      { maxAttempts: 5, initialIntervalMs: 20_000, maxIntervalMs: 30_000 },
    ],
    [
      'a first interval beyond the default maximum, which gives way',
      { initialIntervalMs: 60_000 },
      { maxAttempts: 5, initialIntervalMs: 60_000, maxIntervalMs: 60_000 },
    ],
    [
      'a maximum below the default first interval, which gives way',
      { maxIntervalMs: 200 },
      { maxAttempts: 5, initialIntervalMs: 200, maxIntervalMs: 200 },
    ],
    [
      'all three',
      { maxAttempts: 9, initialIntervalMs: 10, maxIntervalMs: 20 },
      { maxAttempts: 9, initialIntervalMs: 10, maxIntervalMs: 20 },
    ],
    [
      'a maximum below its own first interval, which Temporal would refuse',
      { initialIntervalMs: 50, maxIntervalMs: 20 },
      { maxAttempts: 5, initialIntervalMs: 50, maxIntervalMs: 50 },
    ],
  ])('retries with %s', (_, retry, expected) => {
    const actions: WrittenAction[] = [{ type: 'warm_remote_capacity', id: 'tell', ...(retry && { retry }) }];

    const plan = makePlan(aRuleset([aRule({ actions })]), fired());

    expect(plan?.actions[0]?.retry).toEqual(expected);
  });

  test.each(['spawn_fallback_agent', 'notify_team', 'warm_remote_capacity'] as const)(
    "gives %s its own default and takes the rule's instead",
    (type) => {
      const plan = makePlan(
        aRuleset([
          aRule({
            actions: [
              { type, id: 'a' },
              { type, id: 'b', timeoutMs: 7 },
            ],
          }),
        ]),
        fired({ actions: ['a', 'b'] }),
      );

      expect(plan?.actions.map(({ timeoutMs }) => timeoutMs)).toEqual([defaultsOf(type).timeoutMs, 7]);
    },
  );

  test('has an effect key of its own for each action', () => {
    const actions: WrittenAction[] = [
      { type: 'notify_team', id: 'a/b' },
      { type: 'notify_team', id: 'a b' },
      { type: 'notify_team' },
    ];

    const plan = makePlan(aRuleset([aRule({ actions })]), fired({ actions: ['a/b', 'a b', 'notify_team:2'] }));

    expect(plan?.actions.map(({ effectKey }) => effectKey)).toEqual([
      'remediation/default/a-rule/event-1/a%2Fb',
      'remediation/default/a-rule/event-1/a%20b',
      'remediation/default/a-rule/event-1/notify_team%3A2',
    ]);
  });

  test('is nothing when the rule has left the ruleset', () => {
    expect(makePlan(aRuleset([aRule({ id: 'other' })]), fired())).toBeUndefined();
  });
});

function fired(overrides: Partial<FiredRule> = {}): FiredRule {
  return {
    tenant: 'default',
    rule: 'a-rule',
    actions: ['tell'],
    event: anEvent(),
    firedAt: 5,
    rulesetHash: 'hash',
    ...overrides,
  };
}
