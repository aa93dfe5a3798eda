import { describe, expect, test } from 'vitest';
import { formatProblem } from '#contract/text/problem.js';
import { KNOWN_EVENTS } from '#rules/known-events.js';
import { ruleWarnings } from '#rules/warnings/rule-warnings.js';
import { aRule, aRuleset, type WrittenRule } from '#test/support/builders.js';

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
      'onlyIf after an agent that is not awaited',
      {
        actions: [
          { type: 'spawn_fallback_agent' },
          { type: 'notify_team', enabled: false },
          { type: 'notify_team', onlyIf: 'failed' },
          { type: 'notify_team', onlyIf: 'failed' },
        ],
      },
      'rules[0].actions[2].onlyIf: the agent before is not awaited: one of a service or a workflow counts as succeeded once it was started (say `await: finished` of the agent to look at how it ends)',
    ],
    [
      'onlyIf after nothing but what is switched off',
      {
        actions: [
          { type: 'spawn_fallback_agent', enabled: false },
          { type: 'notify_team', onlyIf: 'failed' },
        ],
      },
      'rules[0].actions[1].onlyIf: onlyIf looks at the action before, and there is none: this action never runs (put it after the action it depends on)',
    ],
    [
      'good news after a message that goes out on failure',
      {
        actions: [
          { type: 'spawn_fallback_agent', await: 'finished' },
          { type: 'notify_team', onlyIf: 'failed' },
          { type: 'warm_remote_capacity', onlyIf: 'failed' },
          { type: 'notify_team', onlyIf: 'success' },
        ],
      },
      'rules[0].actions[3].onlyIf: this action runs after a failure too: a message before it has `onlyIf: failed`, and once that is out it counts as succeeded (put it before that message: good news first, then what is for a failure)',
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
    [
      'onlyIf on all that follow the first action',
      {
        actions: [
          { type: 'spawn_fallback_agent', await: 'finished' },
          { type: 'notify_team', onlyIf: 'success' },
          { type: 'notify_team', onlyIf: 'failed' },
        ],
      },
    ],
    [
      'good news after a second agent, before the message that goes out on failure',
      {
        actions: [
          { type: 'spawn_fallback_agent', await: 'finished' },
          { type: 'spawn_fallback_agent', await: 'finished', onlyIf: 'failed' },
          { type: 'notify_team', onlyIf: 'success' },
          { type: 'notify_team', onlyIf: 'failed' },
        ],
      },
    ],
    [
      'onlyIf on success after an action that always runs',
      {
        actions: [
          { type: 'spawn_fallback_agent', await: 'finished' },
          { type: 'notify_team', onlyIf: 'failed' },
          { type: 'warm_remote_capacity' },
          { type: 'notify_team', onlyIf: 'success' },
        ],
      },
    ],
    [
      'onlyIf on success after a message that stands in for another one',
      {
        actions: [
          { type: 'notify_team' },
          { type: 'notify_team', onlyIf: 'failed' },
          { type: 'warm_remote_capacity', onlyIf: 'success' },
        ],
      },
    ],
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
