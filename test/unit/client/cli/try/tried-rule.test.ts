import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RuleTrial } from '#client/cli/programs.js';
import { tryOf, type Wanted } from '#client/cli/try/tried-rule.js';
import { aLoadedRuleset, anEvent, aRule, aRuleset, type WrittenRule } from '#test/support/builders.js';
import { tempFolder } from '#test/support/temp-folder.js';

const TWO_ACTIONS: WrittenRule['actions'] = [
  { type: 'spawn_fallback_agent', id: 'agent' },
  { type: 'notify_team', id: 'tell', enabled: false },
];

function tryIn(rules: WrittenRule[], wanted: Partial<Wanted> = {}) {
  const trial = { rules: async () => aLoadedRuleset(aRuleset(rules)) } as Partial<RuleTrial> as RuleTrial;
  return tryOf({ ruleId: 'a-rule', rulesFile: undefined, event: anEvent(), isDry: false, ...wanted }, trial);
}

describe('tryOf', () => {
  test('plans every action that is enabled, as a try, with nothing quiet afterwards', async () => {
    const { remediation, source } = await tryIn([aRule({ cooldownMs: 60_000, actions: TWO_ACTIONS })]);

    expect(source).toBe('rules.yaml');
    expect(remediation).toMatchObject({ id: 'remediation/default/a-rule/event-1', isTry: true, rulesetHash: 'abc' });
    expect(remediation.actions.map(({ name }) => name)).toEqual(['agent']);
    expect(remediation).not.toHaveProperty('quiet');
  });

  test('when dry, plans it as if the rule had fired', async () => {
    const rule = aRule({ cooldownMs: 60_000, cooldownBy: ['session'] });
    const { remediation } = await tryIn([rule], { isDry: true, event: anEvent({ session: 's-1' }) });

    expect(remediation).not.toHaveProperty('isTry');
    expect(remediation.quiet).toEqual({ cooldownUntilAt: remediation.firedAt + 60_000, label: 'session=s-1' });
  });

  test('tells what the guards make of it, and what may stop it later', async () => {
    const { judgement } = await tryIn([aRule({ cooldownMs: 5, dedupWindowMs: 7, maxDepth: 1, actions: TWO_ACTIONS })]);

    expect(judgement).toEqual({
      verdicts: [
        { verdict: 'fire', rule: 'a-rule', action: 'agent' },
        { verdict: 'skip', code: 'disabled', reason: 'action disabled', rule: 'a-rule', action: 'tell' },
      ],
      guards: {
        cooldown: { ms: 5 },
        dedups: [{ action: 'agent', ms: 7 }],
        depth: { is: 0, max: 1 },
        maxDescendants: 20,
      },
    });
  });

  test.each<[string, Partial<WrittenRule>]>([
    ['is disabled', { enabled: false }],
    ['is off', { mode: 'off' }],
  ])('matches for a rule that %s, and says so in the verdict', async (_, overrides) => {
    const { judgement } = await tryIn([aRule(overrides)]);

    expect(judgement.missed).toBeUndefined();
    expect(judgement.verdicts).toMatchObject([{ code: 'no-match' }]);
  });

  test('says what the rule missed on', async () => {
    const { judgement } = await tryIn([aRule({ condition: { toolNames: ['Edit'] } })]);

    expect(judgement.missed).toBe('toolNames found nothing, wants Edit');
  });

  test('takes the rules of a file', async () => {
    const file = join(tempFolder(), 'mine.yaml');
    writeFileSync(file, JSON.stringify({ rules: [aRule({ id: 'mine' })] }));

    const { remediation, source } = await tryIn([], { ruleId: 'mine', rulesFile: file });

    expect(source).toBe(file);
    expect(remediation).toMatchObject({ rule: 'mine', rulesetHash: expect.stringMatching(/^[\da-f]{12}$/) });
  });

  test.each<[string, WrittenRule[], RegExp]>([
    [
      'a rule that is not there',
      [aRule({ id: 'b-rule' })],
      /rules\.yaml has no rule "a-rule" \(did you mean "b-rule"\?\)$/,
    ],
    ['any rule where there is none', [], /rules\.yaml has no rule "a-rule" \(it has: none\)$/],
    [
      'a rule of which nothing is enabled',
      [aRule({ actions: [{ type: 'notify_team', enabled: false }] })],
      /every action of rule a-rule has `enabled: false`: there is nothing to try$/,
    ],
  ])('refuses %s', async (_, rules, message) => {
    await expect(tryIn(rules)).rejects.toThrow(message);
  });
});
