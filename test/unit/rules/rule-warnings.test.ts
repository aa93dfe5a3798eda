import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../../contract/problem.js';
import { KNOWN_EVENTS } from '../../../rules/known-events.js';
import { ruleWarnings } from '../../../rules/rule-warnings.js';
import { aRule, aRuleset, type WrittenRule } from '../../support/builders.js';

describe('ruleWarnings', () => {
  test.each(KNOWN_EVENTS)('has nothing to say about a rule for %s', (event) => {
    expect(warningsOf({ trigger: { event } })).toEqual([]);
  });

  test.each<[string, Partial<WrittenRule>, string]>([
    [
      'a misspelt event',
      { trigger: { event: 'PostToolUseFailed' } },
      'rules[0].trigger.event: no runtime known to the mesh sends "PostToolUseFailed" (did you mean "PostToolUseFailure"?)',
    ],
    [
      'an event in another case',
      { trigger: { event: 'stop' } },
      'rules[0].trigger.event: no runtime known to the mesh sends "stop" (did you mean "Stop"?)',
    ],
    [
      "an event of one's own",
      { trigger: { event: 'deployment.rolled-back' } },
      'rules[0].trigger.event: no runtime known to the mesh sends "deployment.rolled-back" (fine if a runtime of yours sends it)',
    ],
    [
      'a name no event can have',
      { trigger: { event: 'Post Tool' } },
      'rules[0].trigger.event: no event can be named "Post Tool": this rule never matches',
    ],
    [
      'tool names that look like patterns',
      { condition: { toolNames: ['Bash', 'mcp__*', 'Edit|Write'] } },
      'rules[0].condition.toolNames: "mcp__*", "Edit|Write": tool names are compared exactly, not as patterns (list each tool by its name)',
    ],
    [
      'onlyIf on the first action',
      { actions: [{ type: 'notify_team', onlyIf: 'failed' }] },
      'rules[0].actions[0].onlyIf: onlyIf looks at the action before, and there is none: this action never runs (put it after the action it depends on)',
    ],
    [
      'maxDepth 0',
      { maxDepth: 0 },
      'rules[0].maxDepth: maxDepth 0 means this rule never fires (use mode: off to say so)',
    ],
    [
      'a maxDepth that cannot be reached',
      { maxDepth: 3 },
      'rules[0].maxDepth: maxDepth 3 has no effect: maxChainDepth of the file is 2 (raise maxChainDepth, or lower this)',
    ],
  ])('warns of %s', (_, rule, warning) => {
    expect(warningsOf(rule)).toEqual([warning]);
  });

  test.each<[string, Partial<WrittenRule>]>([
    ['maxDepth at maxChainDepth', { maxDepth: 2 }],
    ['maxDepth below maxChainDepth', { maxDepth: 1 }],
    ['plain tool names', { condition: { toolNames: ['Bash', 'mcp__github__create_issue'] } }],
    ['a condition without tool names', { condition: { errorIncludes: ['a*b'] } }],
  ])('has nothing to say about %s', (_, rule) => {
    expect(warningsOf(rule)).toEqual([]);
  });

  test('says everything about every rule', () => {
    const rules = [
      aRule({ id: 'a', maxDepth: 0 }),
      aRule({ id: 'b' }),
      aRule({ id: 'c', maxDepth: 0, trigger: { event: 'stop' } }),
    ];

    const warnings = ruleWarnings(aRuleset(rules));

    expect(warnings.map(({ path }) => path)).toEqual([
      'rules[0].maxDepth',
      'rules[2].trigger.event',
      'rules[2].maxDepth',
    ]);
  });
});

function warningsOf(rule: Partial<WrittenRule>): string[] {
  return ruleWarnings(aRuleset([aRule(rule)])).map(formatProblem);
}
