import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { parseEvent } from '#client/parse-event.js';
import type { Ruleset } from '#contract/ruleset.js';
import type { Verdict } from '#contract/views/verdicts.js';
import { parseRuleset } from '#rules/parse-ruleset.js';
import { createRedactor } from '#contract/text/redact/redact.js';
import { simulate, type SimulatedStep } from '#rules/simulate.js';

// The cases that settle arguments. Their files are copies, byte for byte, of the ones the project was given.

interface CheckCase {
  id: string;
  name: string;
  rules: unknown;
  valid: boolean;
}

interface JudgeCase {
  id: string;
  name: string;
  rules: unknown;
  steps: { atMs: number; event: object; expect: Partial<Verdict>[] }[];
}

const checkCases = readCases<CheckCase>('check.json');
const judgeCases = readCases<JudgeCase>('judge.json');

describe('check cases', () => {
  test.each(checkCases)('$id as JSON: $name', ({ rules, valid }) => {
    const parsed = parseRuleset(JSON.stringify(rules), 'case.json');

    expect(parsed.ok).toBe(valid);
  });

  test.each(checkCases)('$id as YAML: $name', ({ rules, valid }) => {
    const parsed = parseRuleset(stringify(rules), 'case.yaml');

    expect(parsed.ok).toBe(valid);
  });

  test.each(checkCases.filter(({ valid }) => !valid))('$id names a place and a cause', ({ rules }) => {
    const parsed = parseRuleset(JSON.stringify(rules), 'case.json');

    const problems = parsed.ok ? [] : parsed.problems;
    expect(problems.length).toBeGreaterThan(0);
    for (const problem of problems)
      expect(problem).toMatchObject({ file: 'case.json', path: expect.stringMatching(/./) as string });
  });
});

describe('judge cases', () => {
  test.each(judgeCases)('$id: $name', ({ rules, steps }) => {
    const loaded = { ruleset: rulesetOf(rules), hash: 'case', source: 'case.json', problems: [] };

    const verdicts = simulate(loaded, steps.map(stepOf));

    expect(verdicts).toHaveLength(steps.length);
    steps.forEach((step, index) =>
      expect(verdicts[index]).toEqual(step.expect.map((wanted) => expect.objectContaining(wanted) as Verdict)),
    );
  });

  test.each(judgeCases)(
    '$id gives skips about the whole event no rule, and every skip a reason',
    ({ rules, steps }) => {
      const loaded = { ruleset: rulesetOf(rules), hash: 'case', source: 'case.json', problems: [] };

      const verdicts = simulate(loaded, steps.map(stepOf)).flat();

      const wholeEvent = verdicts.filter(({ rule }) => rule === undefined);
      const expectedWhole = steps.flatMap((step) => step.expect).filter(({ rule }) => rule === undefined);
      expect(wholeEvent).toHaveLength(expectedWhole.length);
      for (const verdict of verdicts) if (verdict.verdict === 'skip') expect(verdict.reason).not.toBe('');
    },
  );
});

function readCases<T>(name: string): T[] {
  return JSON.parse(readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), 'utf8')) as T[];
}

function rulesetOf(rules: unknown): Ruleset {
  const parsed = parseRuleset(JSON.stringify(rules), 'case.json');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.ruleset;
}

function stepOf({ atMs, event }: JudgeCase['steps'][number], index: number): SimulatedStep {
  const parsed = parseEvent(event, { now: atMs, makeId: () => `step-${index}` }, createRedactor());
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return { atMs, event: parsed.event };
}
