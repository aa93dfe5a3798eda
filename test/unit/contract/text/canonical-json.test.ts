import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '#contract/text/canonical-json.js';

describe('canonicalJson', () => {
  test.each([
    [{ b: 1, a: { d: 2, c: 3 } }, '{"a":{"c":3,"d":2},"b":1}'],
    [[{ b: 1, a: 2 }], '[{"a":2,"b":1}]'],
    [[2, 1], '[2,1]'],
    [{ a: undefined, b: 1 }, '{"b":1}'],
    [undefined, 'null'],
    [null, 'null'],
    ['x', '"x"'],
    [{}, '{}'],
  ])('writes %j as %s', (value, json) => {
    expect(canonicalJson(value)).toBe(json);
  });

  test('keeps a key named __proto__', () => {
    const value: unknown = JSON.parse('{"b":1,"__proto__":{"z":1,"y":2}}');

    expect(canonicalJson(value)).toBe('{"__proto__":{"y":2,"z":1},"b":1}');
  });

  test('loses nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('does not depend on the order in which keys were written', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(backwards(value))).toBe(canonicalJson(value));
      }),
    );
  });
});

function backwards(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(backwards);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, backwards(inner)]),
  );
}
