import { expect, test } from 'vitest';
import { formatProblem } from '#contract/text/problem.js';
import { capacityWarnings } from '#rules/capacity-warnings.js';
import { checkRuleset } from '#rules/parse-ruleset.js';
import { aRule, aRuleset } from '../../support/builders.js';

const RULESET = aRuleset([
  aRule({ actions: [{ type: 'notify_team' }, { type: 'warm_remote_capacity' }] }),
  aRule({ id: 'off', mode: 'off', actions: [{ type: 'warm_remote_capacity' }] }),
  aRule({ id: 'action-off', actions: [{ type: 'warm_remote_capacity', enabled: false }] }),
]);

test('a rule that wants capacity is told that there is no bridge, unless nobody runs it', () => {
  expect(capacityWarnings(RULESET, { hasBridge: false }).map(formatProblem)).toEqual([
    'rules[0].actions[1]: mesh.yaml has no bridge: this action is always skipped (set bridge in mesh.yaml; until then it is a safe no-op)',
  ]);
});

test('whoever checks rules against a configuration hears of it', () => {
  const known = { members: { t: ['a'] }, defaultTeam: 't', agents: [], hasBridge: false };

  expect(checkRuleset({ rules: RULESET.rules.slice(0, 1) }, known).warnings.map(({ path }) => path)).toEqual([
    'rules[0].actions[1]',
  ]);
});

test('with a bridge there is nothing to say', () => {
  expect(capacityWarnings(RULESET, { hasBridge: true })).toEqual([]);
});
