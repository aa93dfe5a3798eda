import { describe, expect, test } from 'vitest';
import { checkPayload, MAX_NESTING, MAX_PAYLOAD_BYTES } from '../../../client/check-payload.js';

describe('checkPayload', () => {
  test.each<[string, Record<string, unknown>]>([
    ['nothing', {}],
    ['plain values', { a: 1, b: 'x', c: null, d: [true, { e: [] }] }],
    ['words that are only traps as keys', { key: '__proto__', list: ['constructor'] }],
    ['as many bytes as there may be', { a: 'x'.repeat(MAX_PAYLOAD_BYTES - 8) }],
    ['as many levels as there may be', nested(MAX_NESTING)],
  ])('takes %s', (_, payload) => {
    expect(checkPayload(payload)).toEqual([]);
  });

  test.each([
    ['{"__proto__": 1}', 'payload.__proto__'],
    ['{"a": {"constructor": 1}}', 'payload.a.constructor'],
    ['{"a": [{}, {"prototype": {}}]}', 'payload.a[1].prototype'],
  ])('refuses the trap in %s', (json, path) => {
    expect(checkPayload(JSON.parse(json) as Record<string, unknown>)).toEqual([
      expect.objectContaining({ path, hint: 'rename it' }),
    ]);
  });

  test('refuses a byte too many', () => {
    const [problem] = checkPayload({ a: 'x'.repeat(MAX_PAYLOAD_BYTES - 7) });

    expect(problem).toMatchObject({
      path: 'payload',
      message: `is ${MAX_PAYLOAD_BYTES + 1} bytes, at most ${MAX_PAYLOAD_BYTES} are taken`,
    });
  });

  test('counts bytes, not letters', () => {
    expect(checkPayload({ a: 'é'.repeat(MAX_PAYLOAD_BYTES - 8) })).toHaveLength(1);
  });

  test('refuses a level too many', () => {
    expect(checkPayload(nested(MAX_NESTING + 1))).toEqual([
      expect.objectContaining({ message: `is nested more than ${MAX_NESTING} levels deep` }),
    ]);
  });

  test('refuses a payload that contains itself, instead of following it for ever', () => {
    const payload: Record<string, unknown> = {};
    payload['self'] = payload;

    expect(checkPayload(payload)).toEqual([
      expect.objectContaining({ message: `is nested more than ${MAX_NESTING} levels deep` }),
    ]);
  });

  test('refuses what JSON cannot hold, instead of throwing', () => {
    expect(checkPayload({ size: 1n })).toEqual([
      expect.objectContaining({ path: 'payload', message: 'cannot be written as JSON' }),
    ]);
  });
});

/** The payload itself is the first level. */
function nested(levels: number): Record<string, unknown> {
  let payload: Record<string, unknown> = {};
  for (let level = 1; level < levels; level++) payload = { a: payload };
  return payload;
}
