import { describe, expect, test } from 'vitest';
import { EVENT_NAME } from '#contract/event.js';
import { formatProblem } from '#contract/text/problem.js';
import { MAPPED_EVENT_NAME, wrongValue } from '#rules/dialects/mapped.js';

test('a dialect takes the names that an event may have', () => {
  expect(MAPPED_EVENT_NAME).toEqual(EVENT_NAME);
});

describe('wrongValue', () => {
  test.each([
    [undefined, 'type: is missing: expected a name'],
    [null, 'type: expected a name, found null'],
    ['', 'type: expected a name, found an empty text'],
    ['9', 'type: expected a name, found "9"'],
    ['x'.repeat(61), `type: expected a name, found "${'x'.repeat(59)}…"`],
    [['secret'], 'type: expected a name, found a list'],
    [{ token: 'secret' }, 'type: expected a name, found an object'],
    [12345, 'type: expected a name, found a number'],
    [true, 'type: expected a name, found a boolean'],
  ])('says what is wrong with %j', (value, said) => {
    expect(formatProblem(wrongValue('type', value, 'a name'))).toBe(said);
  });

  test('with a hint where there is one', () => {
    expect(formatProblem(wrongValue('type', 5, 'a name', 'give one'))).toBe(
      'type: expected a name, found a number (give one)',
    );
  });
});
