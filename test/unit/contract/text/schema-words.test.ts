import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { flag, listOf, milliseconds, oneOf, strict, text, wholeNumber } from '#contract/text/schema-words.js';

describe('the message of a schema is what it expects', () => {
  test.each<[string, z.ZodType, unknown, string]>([
    ['text', text(), 3, 'a non-empty text'],
    ['text', text(), '', 'a non-empty text'],
    ['text of its own kind', text('a name'), null, 'a name'],
    ['flag', flag(), 'yes', 'true or false'],
    ['flag', flag(), 1, 'true or false'],
    ['wholeNumber', wholeNumber(1, 5), 0, 'a whole number from 1 to 5'],
    ['wholeNumber', wholeNumber(1, 5), 6, 'a whole number from 1 to 5'],
    ['wholeNumber', wholeNumber(1, 5), 1.5, 'a whole number from 1 to 5'],
    ['wholeNumber', wholeNumber(1, 5), '2', 'a whole number from 1 to 5'],
    ['wholeNumber', wholeNumber(1, 5), Number.NaN, 'a whole number from 1 to 5'],
    ['milliseconds', milliseconds(0, 5), -1, 'a whole number of milliseconds from 0 to 5'],
    ['oneOf', oneOf(['a', 'b']), 'c', 'one of a, b'],
    ['listOf', listOf(text(), 'a list of names'), 'x', 'a list of names'],
    ['strict', strict({ a: flag() }), [], 'an object'],
    ['strict', strict({ a: flag() }, 'a thing'), 5, 'a thing'],
    ['strict, for an unknown key', strict({ a: flag(), b: flag() }), { a: true, b: true, c: 1 }, 'no keys but a, b'],
  ])('%s', (_, schema, value, expected) => {
    const parsed = schema.safeParse(value);

    expect(parsed.error?.issues.map(({ message }) => message)).toEqual([expected]);
  });

  test.each<[string, z.ZodType, unknown]>([
    ['text', text(), ' '],
    ['wholeNumber at its least', wholeNumber(1, 5), 1],
    ['wholeNumber at its most', wholeNumber(1, 5), 5],
    ['an empty list', listOf(text(), 'a list'), []],
    ['strict', strict({ a: flag().optional() }), {}],
  ])('%s takes what it should', (_, schema, value) => {
    expect(schema.safeParse(value)).toMatchObject({ success: true, data: value });
  });
});
