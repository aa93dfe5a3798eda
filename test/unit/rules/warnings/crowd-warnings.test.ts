import { describe, expect, test } from 'vitest';
import { formatProblem } from '#contract/text/problem.js';
import { crowdWarnings } from '#rules/warnings/crowd-warnings.js';
import { checkRuleset } from '#rules/parse-ruleset.js';
import { aRule, aRuleset, type WrittenRule } from '#test/support/builders.js';

describe('crowdWarnings', () => {
  test('tells how many rules one event may fire, when that is more than may', () => {
    const trigger = { event: 'TaskCompleted', outcomes: ['failed', 'timeout'] as const };
    const rules = crowd(51, () => ({ trigger: { ...trigger, outcomes: [...trigger.outcomes] } }));

    expect(checkRuleset({ rules }).warnings.map(formatProblem)).toEqual([
      'rules: one TaskCompleted with outcome failed may fire 51 rules, and the most that one event may fire is 50: ' +
        'the others are skipped with rule-limit (narrow their triggers or conditions, or put their actions together; ' +
        'the first of the file go first)',
    ]);
  });

  test.each<[string, number, (index: number) => Partial<WrittenRule>]>([
    ['as many as may', 50, () => ({})],
    ['for other events', 60, (index) => ({ trigger: { event: index % 2 ? 'Stop' : 'TaskCompleted' } })],
    ['for other outcomes', 60, (index) => ({ trigger: { event: 'Stop', outcome: index % 2 ? 'failed' : 'timeout' } })],
    ['for other tools', 500, (index) => ({ condition: { toolNames: [`tool-${index}`, `old-tool-${index}`] } })],
    ['for other statuses', 500, (index) => ({ condition: { taskStatuses: [`status-${index}`] } })],
    ['for other values of a field', 500, (index) => ({ condition: { eventFieldEquals: { team: index } } })],
    ['of which half look at any tool', 80, (index) => (index < 40 ? {} : { condition: { toolNames: [`${index}`] } })],
    ['on trial', 60, () => ({ mode: 'shadow' })],
    ['switched off', 60, (index) => (index % 2 ? { mode: 'off' } : { enabled: false })],
  ])('has nothing to say of rules %s', (_, count, differing) => {
    expect(warned(crowd(count, differing))).toBe(0);
  });

  test.each<[string, number, (index: number) => Partial<WrittenRule>]>([
    ['some look at any tool', 60, (index) => (index < 50 ? {} : { condition: { toolNames: [`tool-${index}`] } })],
    ['they share one tool', 51, (index) => ({ condition: { toolNames: ['Bash', `tool-${index}`] } })],
    ['an empty list asks for nothing', 51, () => ({ condition: { toolNames: [] } })],
    ['one error may say all of it', 51, (index) => ({ condition: { errorIncludes: [`text-${index}`] } })],
    ['fields differ, not their values', 51, (index) => ({ condition: { eventFieldEquals: { [`f${index}`]: 1 } } })],
  ])('warns although conditions differ: %s', (_, count, differing) => {
    expect(warned(crowd(count, differing))).toBe(1);
  });

  test('takes no long time for very many rules', () => {
    const ruleset = aRuleset(crowd(10_000, (index) => ({ condition: { eventFieldEquals: { [`f${index}`]: index } } })));
    const begunAt = performance.now();

    expect(crowdWarnings(ruleset)).toHaveLength(1);
    expect(performance.now() - begunAt).toBeLessThan(1_000);
  });
});

function crowd(count: number, differing: (index: number) => Partial<WrittenRule>): WrittenRule[] {
  return Array.from({ length: count }, (_, index) => aRule({ id: `rule-${index}`, ...differing(index) }));
}

function warned(rules: WrittenRule[]): number {
  return crowdWarnings(aRuleset(rules)).length;
}
