import { describe, expect, test } from 'vitest';
import { matchEvent, ruleFacts } from '#rules/match.js';
import { anEvent, aRule, aRuleset, type WrittenRule } from '../../support/builders.js';

describe('matchEvent', () => {
  test('names every rule that looks at the event, in the order of the file', () => {
    const ruleset = aRuleset([
      aRule({ id: 'z' }),
      aRule({ id: 'other', trigger: { event: 'Stop' } }),
      aRule({ id: 'a' }),
    ]);

    const { matches, missed } = matchEvent(ruleset, anEvent());

    expect(matches.map(({ rule }) => rule)).toEqual(['z', 'a']);
    expect(missed).toBe('');
  });

  test('has one dedup key per action, in the order of the rule', () => {
    const actions: WrittenRule['actions'] = [
      { type: 'notify_team' },
      { type: 'warm_remote_capacity', id: 'warm' },
      { type: 'notify_team' },
    ];

    const { matches } = matchEvent(aRuleset([aRule({ actions })]), anEvent());

    expect(new Set(matches[0]?.dedupKeys).size).toBe(3);
  });

  test('labels the cooldown with what cooldownBy found', () => {
    const ruleset = aRuleset([aRule({ id: 'plain' }), aRule({ id: 'by-session', cooldownBy: ['session'] })]);

    const { matches } = matchEvent(ruleset, anEvent({ session: 's1' }));

    expect(matches.map(({ cooldownLabel }) => cooldownLabel)).toEqual([undefined, 'session=s1']);
  });

  test.each<[string, Partial<WrittenRule>]>([
    ['its outcome', { trigger: { event: 'PostToolUseFailure', outcome: 'failed' } }],
    ['one of its outcomes', { trigger: { event: 'PostToolUseFailure', outcomes: ['timeout', 'failed'] } }],
    ['any outcome', { trigger: { event: 'PostToolUseFailure' } }],
    ['its condition', { condition: { toolNames: ['Bash'] } }],
    ['shadow mode', { mode: 'shadow' }],
  ])('a rule looks at an event by %s', (_, rule) => {
    const { matches } = matchEvent(aRuleset([aRule(rule)]), anEvent({ payload: { tool_name: 'Bash' } }));

    expect(matches).toHaveLength(1);
  });

  test.each<[string, Partial<WrittenRule>, string]>([
    ['disabled', { enabled: false }, 'rule is disabled'],
    ['off', { mode: 'off' }, 'rule mode is off'],
    ['for another event', { trigger: { event: 'Stop' } }, 'trigger wants Stop'],
    ['for an event in another case', { trigger: { event: 'posttoolusefailure' } }, 'trigger wants posttoolusefailure'],
    [
      'for another outcome',
      { trigger: { event: 'PostToolUseFailure', outcome: 'timeout' } },
      'trigger found outcome failed, wants timeout',
    ],
    [
      'for other outcomes',
      { trigger: { event: 'PostToolUseFailure', outcomes: ['timeout', 'unknown'] } },
      'trigger found outcome failed, wants timeout or unknown',
    ],
    ['for another tool', { condition: { toolNames: ['Edit'] } }, 'toolNames found "Bash", wants Edit'],
  ])('a rule that is %s says so', (_, rule, why) => {
    const { matches, missed } = matchEvent(aRuleset([aRule(rule)]), anEvent({ payload: { tool_name: 'Bash' } }));

    expect(matches).toEqual([]);
    expect(missed).toBe(`no rule matches: a-rule: ${why}`);
  });

  test('a ruleset without rules says so', () => {
    expect(matchEvent(aRuleset([]), anEvent())).toEqual({
      matches: [],
      missed: 'the ruleset has no rules',
      misses: [],
    });
  });

  test('near misses are named before rules for other events, and only a few of them', () => {
    const others = ['Stop', 'Setup', 'SessionEnd'].map((event) => aRule({ id: `for-${event}`, trigger: { event } }));
    const near = aRule({ id: 'near', trigger: { event: 'PostToolUseFailure', outcome: 'timeout' } });

    const { missed } = matchEvent(aRuleset([...others, near]), anEvent());

    expect(missed).toBe(
      'no rule matches: near: trigger found outcome failed, wants timeout; for-Stop: trigger wants Stop; for-Setup: trigger wants Setup; and 1 more',
    );
  });

  test('names every rule that did not look, also when another one did, the nearest first', () => {
    const rules = [aRule({ id: 'far', trigger: { event: 'Stop' } }), aRule(), aRule({ id: 'near', enabled: false })];

    const { matches, misses } = matchEvent(aRuleset(rules), anEvent());

    expect(matches.map(({ rule }) => rule)).toEqual(['a-rule']);
    expect(misses).toEqual([
      { rule: 'near', reason: 'rule is disabled' },
      { rule: 'far', reason: 'trigger wants Stop' },
    ]);
  });

  test('the text about misses stays short with rules as long as they may be', () => {
    const rules = Array.from({ length: 500 }, (_, index) =>
      aRule({ id: `${index}-${'x'.repeat(500)}`, trigger: { event: 'Stop' } }),
    );

    const { missed, misses } = matchEvent(aRuleset(rules), anEvent());

    expect(missed.length).toBeLessThan(450);
    expect(missed).toMatch(/; and 497 more$/);
    expect(JSON.stringify(misses).length).toBeLessThan(1_500);
  });

  test('a long reason is cut at a word, and where it was cut can be seen', () => {
    const toolNames = ['WriteTheFile', 'ReadTheFile', ...Array.from({ length: 20 }, (_, index) => `Tool-${index}`)];
    const rules = [aRule({ condition: { toolNames } })];

    const { missed, misses } = matchEvent(aRuleset(rules), anEvent({ payload: { tool_name: 'Bash' } }));

    expect(missed).toMatch(/ or Tool-\d+( or)?…$/);
    expect(misses?.[0]?.reason).toMatch(/^toolNames found "Bash", wants .* or Tool-\d+( or)?…$/);
    expect(misses?.[0]?.reason.length).toBeLessThanOrEqual(120);
  });
});

describe('ruleFacts', () => {
  test.each<[string, { file?: number; rule?: number; action?: number }, number]>([
    ['the default when nobody says', {}, 30_000],
    ['that of the file', { file: 5 }, 5],
    ['that of the rule before that of the file', { file: 5, rule: 6 }, 6],
    ['that of the action before both', { file: 5, rule: 6, action: 7 }, 7],
    ['0 of the rule before that of the file', { file: 5, rule: 0 }, 0],
    ['0 of the action before that of the rule', { rule: 6, action: 0 }, 0],
  ])('take as dedup window %s', (_, { file, rule, action }, dedupWindowMs) => {
    const written = aRule({
      ...(rule !== undefined && { dedupWindowMs: rule }),
      actions: [{ type: 'notify_team', ...(action !== undefined && { dedupWindowMs: action }) }],
    });

    const [facts] = factsOf([written], { defaultDedupWindowMs: file });

    expect(facts?.actions).toEqual([{ name: 'notify_team:0', enabled: true, dedupWindowMs }]);
  });

  test.each<[string, { file?: number; rule?: number }, number]>([
    ['the default when nobody says', {}, 30_000],
    ['that of the file', { file: 5 }, 5],
    ['that of the rule before that of the file', { file: 5, rule: 6 }, 6],
    ['0 of the rule before that of the file', { file: 5, rule: 0 }, 0],
  ])('take as cooldown %s', (_, { file, rule }, cooldownMs) => {
    const [facts] = factsOf([aRule(rule === undefined ? {} : { cooldownMs: rule })], { defaultCooldownMs: file });

    expect(facts?.cooldownMs).toBe(cooldownMs);
  });

  test('say the mode, the depth and which actions are enabled', () => {
    const [facts] = factsOf([
      aRule({
        mode: 'shadow',
        maxDepth: 0,
        actions: [
          { type: 'notify_team', enabled: false },
          { type: 'notify_team', id: 'b' },
        ],
      }),
    ]);

    expect(facts).toMatchObject({
      id: 'a-rule',
      mode: 'shadow',
      maxDepth: 0,
      actions: [
        { name: 'notify_team:0', enabled: false },
        { name: 'b', enabled: true },
      ],
    });
  });

  test('say nothing of a depth the rule does not limit', () => {
    const [facts] = factsOf([aRule()]);

    expect(facts).not.toHaveProperty('maxDepth');
  });
});

function factsOf(
  rules: WrittenRule[],
  file: { defaultCooldownMs?: number | undefined; defaultDedupWindowMs?: number | undefined } = {},
) {
  const ruleset = aRuleset(rules, { defaultCooldownMs: undefined, defaultDedupWindowMs: undefined, ...file });
  return ruleset.rules.map((rule) => ruleFacts(rule, ruleset));
}
