import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { editSettings } from '#client/cli/install/settings-file.js';

describe('editSettings', () => {
  test.each([
    ['', '{\n  "k": 1\n}\n'],
    ['{}', '{\n  "k": 1\n}'],
    ['{ }\n', '{\n  "k": 1\n}\n'],
    ['{ // mine\n}', '{ // mine\n  "k": 1\n}'],
    ['{"a":1}', '{"a":1,"k":1}'],
    ['{"k":{"x":[1,2]},"a":1}', '{"k":1,"a":1}'],
    ['{\n\t"a": "}"\n}\n', '{\n\t"a": "}",\n\t"k": 1\n}\n'],
    ['{\r\n    "a": 1\r\n}\r\n', '{\r\n    "a": 1,\r\n    "k": 1\r\n}\r\n'],
    ['{\n  "k": "\\"k\\": 5", "a": {"k": 2}\n}', '{\n  "k": 1, "a": {"k": 2}\n}'],
    ['{\n  /* "k": 2 */ "a": 1 // "k": 3\n}', '{\n  /* "k": 2 */ "a": 1,\n  "k": 1 // "k": 3\n}'],
    ['{"\\u006b": null}', '{"\\u006b": 1}'],
  ])('%j', (before, after) => {
    expect(editSettings(before, [{ path: ['k'], value: 1 }])).toBe(after);
  });

  test.each([
    ['{}', '{\n  "a": {\n    "b": [\n      1\n    ]\n  }\n}'],
    ['{\n  "a": {}\n}', '{\n  "a": {\n    "b": [\n      1\n    ]\n  }\n}'],
    ['{\n  "a": {\n    "c": 1\n  }\n}', '{\n  "a": {\n    "c": 1,\n    "b": [\n      1\n    ]\n  }\n}'],
    ['{\n  "a": {\n    "b": 2\n  }\n}', '{\n  "a": {\n    "b": [\n      1\n    ]\n  }\n}'],
  ])('in an object of %j', (before, after) => {
    expect(editSettings(before, [{ path: ['a', 'b'], value: [1] }])).toBe(after);
  });

  test('gives any object the value, and keeps every other one in its place', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.jsonValue(),
        fc.constantFrom(undefined, 2, 4, '\t'),
        (object, value, indent) => {
          const before = JSON.stringify(object, null, indent);
          const after = editSettings(before, [
            { path: ['hooks'], value: {} },
            { path: ['hooks', 'Stop'], value },
          ]);
          const expected = JSON.parse(JSON.stringify({ ...object, hooks: { Stop: value } })) as object;
          expect(JSON.parse(after)).toEqual(expected);
          expect(parse(after)).toEqual(parse(JSON.stringify(expected)));
          expect(Object.keys(JSON.parse(after) as object)).toEqual(Object.keys(expected));
        },
      ),
    );
  });
});
