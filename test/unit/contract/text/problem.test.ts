import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { formatPath, formatProblem, type Problem, problemsOf } from '#contract/text/problem.js';
import { flag, listOf, oneOf, strict, text, wholeNumber } from '#contract/text/schema-words.js';

const Thing = strict({
  name: text(),
  count: wholeNumber(0, 10).optional(),
  isOn: flag().optional(),
  color: oneOf(['red', 'green', 'blue']).optional(),
  parts: listOf(strict({ size: wholeNumber(1, 2) }), 'a list of parts').optional(),
});

describe('problemsOf', () => {
  test.each<[string, unknown, Problem]>([
    [
      'what is missing',
      {},
      { path: 'name', message: 'is missing: expected a non-empty text', expected: 'a non-empty text' },
    ],
    [
      'what was found',
      { name: 'x', count: 11 },
      {
        path: 'count',
        message: 'expected a whole number from 0 to 10, found 11',
        expected: 'a whole number from 0 to 10',
      },
    ],
    [
      'that quotes make a number a text',
      { name: 'x', count: '3' },
      {
        path: 'count',
        message: 'expected a whole number from 0 to 10, found "3"',
        expected: 'a whole number from 0 to 10',
        hint: 'remove the quotes',
      },
    ],
    [
      'that quotes make a flag a text',
      { name: 'x', isOn: 'true' },
      {
        path: 'isOn',
        message: 'expected true or false, found "true"',
        expected: 'true or false',
        hint: 'remove the quotes',
      },
    ],
    [
      'the word that was meant',
      { name: 'x', color: 'gren' },
      {
        path: 'color',
        message: 'expected one of red, green, blue, found "gren"',
        expected: 'one of red, green, blue',
        hint: 'did you mean "green"?',
      },
    ],
    [
      'no word when none is near',
      { name: 'x', color: 'ultraviolet' },
      {
        path: 'color',
        message: 'expected one of red, green, blue, found "ultraviolet"',
        expected: 'one of red, green, blue',
      },
    ],
    [
      'that null is no value',
      { name: null },
      {
        path: 'name',
        message: 'expected a non-empty text, found null',
        expected: 'a non-empty text',
        hint: 'give a value, or leave it out',
      },
    ],
    [
      'the key that was meant, at its own path',
      { name: 'x', parts: [{ size: 1, sice: 2 }] },
      { path: 'parts[0].sice', message: 'unknown key "sice"', expected: 'one of size', hint: 'did you mean "size"?' },
    ],
    [
      'the known keys when none is near',
      { name: 'x', parts: [{ size: 1, temperature: 2 }] },
      {
        path: 'parts[0].temperature',
        message: 'unknown key "temperature"',
        expected: 'one of size',
        hint: 'known here: size',
      },
    ],
    [
      'a list as a list',
      { name: ['x'] },
      { path: 'name', message: 'expected a non-empty text, found a list', expected: 'a non-empty text' },
    ],
    [
      'an object as an object',
      { name: { a: 1 } },
      { path: 'name', message: 'expected a non-empty text, found an object', expected: 'a non-empty text' },
    ],
  ])('says %s', (_, value, problem) => {
    expect(problemsOf(errorOf(value), value)).toEqual([problem]);
  });

  test('names every problem, not just the first', () => {
    const value = { count: -1, parts: [{ size: 3 }, {}], other: 1 };

    const problems = problemsOf(errorOf(value), value);

    expect(problems.map(({ path }) => path).sort()).toEqual([
      'count',
      'name',
      'other',
      'parts[0].size',
      'parts[1].size',
    ]);
  });

  test.each(['c'.repeat(500), 'https://bot:hunter2@example.com'])(
    'of a long text or an address only the length is said',
    (color) => {
      const value = { name: 'x', color };

      const [problem] = problemsOf(errorOf(value), value);

      expect(problem?.message).toBe(`expected one of red, green, blue, found a text of ${color.length} characters`);
    },
  );
});

describe('formatPath', () => {
  test.each([
    [[], ''],
    [['rules'], 'rules'],
    [['rules', 2, 'cooldownMs'], 'rules[2].cooldownMs'],
    [[0, 'id'], '[0].id'],
    [['teams', 'on-call', 'members'], 'teams.on-call.members'],
    [['eventFieldEquals', 'a.b'], 'eventFieldEquals["a.b"]'],
    [['x', ''], 'x[""]'],
    [['x', '1'], 'x["1"]'],
    [['x', 'a"b'], 'x["a\\"b"]'],
  ])('writes %j as %s', (path, written) => {
    expect(formatPath(path)).toBe(written);
  });
});

describe('formatProblem', () => {
  test.each<[Problem, string]>([
    [{ path: '', message: 'is empty' }, 'is empty'],
    [{ path: 'a.b', message: 'is missing' }, 'a.b: is missing'],
    [{ file: 'f.yaml', path: 'a', message: 'is missing' }, 'f.yaml: a: is missing'],
    [{ file: 'f.yaml', line: 3, path: 'a', message: 'is missing', hint: 'add it' }, 'f.yaml:3: a: is missing (add it)'],
    [{ file: 'f.yaml', line: 3, path: '', message: 'is broken' }, 'f.yaml:3: is broken'],
  ])('puts %j on one line', (problem, line) => {
    expect(formatProblem(problem)).toBe(line);
  });
});

function errorOf(value: unknown): z.ZodError {
  const parsed = Thing.safeParse(value);
  if (parsed.success) throw new Error('expected a refusal');
  return parsed.error;
}
