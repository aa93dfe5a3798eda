import { expect, test } from 'vitest';
import { formatProblem } from '#contract/text/problem.js';
import { agentWarnings } from '#rules/agent-warnings.js';
import { aRule, aRuleset, type WrittenAction } from '../../support/builders.js';

function warningsOf(action: Partial<WrittenAction>, agents: string[], rule: Parameters<typeof aRule>[0] = {}) {
  const actions: WrittenAction[] = [{ type: 'notify_team' }, { type: 'spawn_fallback_agent', ...action }];
  return agentWarnings(aRuleset([aRule({ actions, ...rule })]), { agents }).map(formatProblem);
}

test('an agent that is there, or the default that is there, is no reason to warn', () => {
  expect(warningsOf({ agentType: 'claude' }, ['claude'])).toEqual([]);
  expect(warningsOf({}, ['default'])).toEqual([]);
});

test('what nobody runs is no reason either', () => {
  expect(warningsOf({ agentType: 'cluade', enabled: false }, ['claude'])).toEqual([]);
  expect(warningsOf({ agentType: 'cluade' }, ['claude'], { mode: 'off' })).toEqual([]);
});

test('an agent that is not there is named, with what is started instead', () => {
  expect(warningsOf({ agentType: 'cluade' }, ['default', 'claude'])).toEqual([
    'rules[0].actions[1].agentType: mesh.yaml has no agent "cluade": "default" is started in its place (did you mean "claude"?)',
  ]);
  expect(warningsOf({}, [])).toEqual([
    'rules[0].actions[1].agentType: mesh.yaml has no agent "default": nothing is started (agents there: none)',
  ]);
});
