import { describe, expect, test } from 'vitest';
import { readPath } from '#rules/read-path.js';

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
