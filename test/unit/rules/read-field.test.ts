import { describe, expect, test } from 'vitest';
import { FIELD_KEYS, readField } from '#contract/read-field.js';
import { readPath } from '#rules/read-path.js';

const fields = Object.keys(FIELD_KEYS) as (keyof typeof FIELD_KEYS)[];

describe('readField', () => {
  test.each(fields)('%s: an earlier key wins over a later one', (field) => {
    const keys = FIELD_KEYS[field];
    const payload = Object.fromEntries([...keys].reverse().map((key) => [key, `from ${key}`]));

    expect(readField(payload, field)).toBe(`from ${keys[0]}`);
  });

  test.each(fields)('%s: what is no text, or empty, makes way for the next key', (field) => {
    const [first, ...others] = FIELD_KEYS[field];
    const next = Object.fromEntries(others.map((key) => [key, 'next']));

    for (const unusable of ['', 3, null, true, {}, ['x']])
      expect(readField({ [first]: unusable, ...next }, field)).toBe('next');
  });

  test.each(fields)('%s: nothing when no key holds a text', (field) => {
    expect(readField({}, field)).toBeUndefined();
  });

  test('reads nothing inherited', () => {
    const payload = Object.create({ error: 'inherited' }) as Record<string, unknown>;

    expect(readField(payload, 'error')).toBeUndefined();
  });
});

describe('readPath', () => {
  const value = { a: { b: [{ c: 'deep' }, 'x'] }, text: 'abc', none: null, '': 'nameless', list: [1, 2, 3] };

  test.each([
    ['text', 'abc'],
    ['a.b.0.c', 'deep'],
    ['a.b.1', 'x'],
    ['list.length', 3],
    ['none', null],
    ['.a..b.0.c.', 'deep'],
  ])('%s leads to %j', (path, found) => {
    expect(readPath(value, path)).toEqual(found);
  });

  test.each([
    '',
    '.',
    '...',
    'nowhere',
    'a.nowhere.b',
    'none.x',
    'text.length',
    'text.0',
    'list.9',
    'list.-1',
    'toString',
    'a.constructor',
    '__proto__',
    'list.map',
  ])('%j leads nowhere', (path) => {
    expect(readPath(value, path)).toBeUndefined();
  });
});
