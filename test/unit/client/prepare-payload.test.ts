import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  MAX_NESTING,
  MAX_PAYLOAD_BYTES,
  MAX_TEXT_BYTES,
  preparePayload,
  type PreparedPayload,
} from '#client/prepare-payload.js';
import { createRedactor, REDACTED } from '#contract/text/redact/redact.js';
import { ROOT } from '#test/support/paths.js';
import { PLANTED_SECRETS } from '#test/support/planted-secrets.js';

const redactor = createRedactor();

describe('preparePayload', () => {
  test.each<[string, Record<string, unknown>]>([
    ['nothing', {}],
    ['plain values', { a: 1, b: 'x', c: null, d: [true, { e: [] }] }],
    ['words that are only traps as keys', { key: '__proto__', list: ['constructor'] }],
    ['as many bytes as there may be', bytes(MAX_PAYLOAD_BYTES)],
    ['as many levels as there may be', nested(MAX_NESTING)],
    ['a text of as many bytes as there may be', { a: 'é'.repeat(MAX_TEXT_BYTES / 2) }],
  ])('takes %s as it is', (_, payload) => {
    expect(prepare(payload)).toEqual({ ok: true, payload, truncated: false });
  });

  describe('refuses', () => {
    test.each([
      ['{"__proto__": 1}', 'payload.__proto__'],
      ['{"a": {"constructor": 1}}', 'payload.a.constructor'],
      ['{"a": [{}, {"prototype": {}}]}', 'payload.a[1].prototype'],
    ])('the trap in %s', (json, path) => {
      expect(problemsIn(JSON.parse(json) as Record<string, unknown>)).toEqual([
        { path, message: `the key "${path.split('.').at(-1)}" is not taken`, hint: 'rename it' },
      ]);
    });

    test('a trap that only JSON brings to light', () => {
      const payload = { a: { toJSON: () => ({ constructor: 1 }) } };

      expect(problemsIn(payload)).toMatchObject([{ path: 'payload.a.constructor' }]);
    });

    test('a trap under a key that is a secret', () => {
      expect(problemsIn(JSON.parse('{"token": {"__proto__": 1}}') as Record<string, unknown>)).toMatchObject([
        { path: 'payload.token.__proto__' },
      ]);
    });

    test('a byte too many', () => {
      expect(problemsIn(bytes(MAX_PAYLOAD_BYTES + 1))).toEqual([
        {
          path: 'payload',
          message: `is ${MAX_PAYLOAD_BYTES + 1} bytes, at most ${MAX_PAYLOAD_BYTES} are taken`,
          expected: `at most ${MAX_PAYLOAD_BYTES} bytes of JSON`,
          hint: 'report a part of it, and where the whole can be found',
        },
      ]);
    });

    test('a level too many', () => {
      expect(problemsIn(nested(MAX_NESTING + 1))).toMatchObject([
        { path: 'payload', message: `is nested more than ${MAX_NESTING} levels deep` },
      ]);
    });

    test('a hundred thousand levels, instead of overflowing', () => {
      expect(problemsIn(nested(100_000))).toMatchObject([
        { message: `is nested more than ${MAX_NESTING} levels deep` },
      ]);
    });

    test('levels that only JSON brings to light', () => {
      expect(problemsIn({ a: { toJSON: () => nested(MAX_NESTING) } })).toMatchObject([
        { message: `is nested more than ${MAX_NESTING} levels deep` },
      ]);
    });

    test('a payload that contains itself, instead of following it for ever', () => {
      const payload: Record<string, unknown> = {};
      payload['self'] = [payload];

      expect(problemsIn(payload)).toMatchObject([{ message: `is nested more than ${MAX_NESTING} levels deep` }]);
    });

    test('few objects that are shared so often that they would be walked for ever', () => {
      let shared: Record<string, unknown> = {};
      for (let level = 0; level < 60; level++) shared = { a: shared, b: shared };

      expect(problemsIn(shared)).toMatchObject([{ message: `holds more than ${MAX_PAYLOAD_BYTES} values` }]);
    });

    test('a list that is long and empty', () => {
      expect(problemsIn({ a: new Array(1_000_000_000) })).toMatchObject([
        { message: `holds more than ${MAX_PAYLOAD_BYTES} values` },
      ]);
    });

    test.each<[string, Record<string, unknown>]>([
      ['a BigInt', { size: 1n }],
      ['a property that throws', Object.defineProperty({}, 'a', { enumerable: true, get: () => fail() })],
      ['a toJSON that throws', { a: { toJSON: () => fail() } }],
      ['a payload that JSON makes a list of', { toJSON: () => [1] }],
      ['a payload that JSON makes nothing of', { toJSON: () => undefined }],
    ])('%s, instead of throwing', (_, payload) => {
      expect(problemsIn(payload)).toEqual([
        { path: 'payload', message: 'cannot be written as JSON', expected: 'plain JSON values' },
      ]);
    });
  });

  test('writes what is no JSON as JSON would', () => {
    const payload = {
      at: new Date(0),
      none: undefined,
      call: () => 1,
      list: [undefined, () => 1, NaN],
      infinite: Infinity,
      map: new Map([['a', 1]]),
      error: new Error('x'),
      own: { toJSON: () => 'own' },
    };

    expect(prepare(payload)).toEqual({ ok: true, payload: JSON.parse(JSON.stringify(payload)), truncated: false });
    expect(payloadOf(payload)).toMatchObject({ at: '1970-01-01T00:00:00.000Z', list: [null, null, null], own: 'own' });
  });

  test('looks for secrets in what JSON brings to light', () => {
    expect(payloadOf({ a: { toJSON: () => ({ password: 'x' }) } })).toEqual({ a: { password: REDACTED } });
  });

  test('does not change what it was given', () => {
    const payload = deepFreeze({ password: 'x', long: ['x'.repeat(MAX_TEXT_BYTES + 1)] });

    expect(payloadOf(payload)['password']).toBe(REDACTED);
  });

  describe('cuts', () => {
    test('a text that is a byte too long, and says how much is gone', () => {
      const prepared = prepare({ a: [{ b: 'x'.repeat(MAX_TEXT_BYTES + 1) }], c: 'short' });

      expect(prepared).toMatchObject({ ok: true, truncated: true, payload: { c: 'short' } });
      const text = firstText(payloadIn(prepared));
      const [, kept = '', more] = /^(x+)… \[cut by the mesh: (\d+) more bytes\]$/.exec(text) ?? [];
      expect(kept.length + Number(more)).toBe(MAX_TEXT_BYTES + 1);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_TEXT_BYTES);
      expect(Buffer.byteLength(text)).toBeGreaterThan(MAX_TEXT_BYTES - 10);
    });

    test.each(['é', '€', '😀', 'a😀', 'ab😀', 'abc😀'])('between characters, never inside one: %s', (piece) => {
      const text = firstText(payloadOf({ a: [{ b: piece.repeat(MAX_TEXT_BYTES) }] }));
      const kept = text.slice(0, text.indexOf('…'));

      expect(text.isWellFormed()).toBe(true);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_TEXT_BYTES);
      expect(piece.repeat(MAX_TEXT_BYTES).startsWith(kept)).toBe(true);
      expect([...kept].every((character) => piece.includes(character))).toBe(true);
    });

    test('a payload that is far too large because of its texts, and then takes it', () => {
      expect(prepare({ a: 'x'.repeat(4 * MAX_PAYLOAD_BYTES) })).toMatchObject({ ok: true, truncated: true });
    });

    test('nothing that was only long because of its secrets', () => {
      const token = 'gh' + 'p_' + 'F4ke'.repeat(MAX_TEXT_BYTES);

      expect(prepare({ a: `of ${token}`, password: token })).toEqual({
        ok: true,
        payload: { a: `of ${REDACTED}`, password: REDACTED },
        truncated: false,
      });
    });

    test.each(range(-60, 90))('a secret that lies across the cut whole, %i bytes before the end', (distance) => {
      const token = 'gh' + 'p_' + 'F4keT0ken'.repeat(4);
      const before = 'x '.repeat(MAX_TEXT_BYTES).slice(0, MAX_TEXT_BYTES - distance);
      const text = firstText(payloadOf({ a: [{ b: `${before} ${token} ${'y '.repeat(100)}` }] }));

      expect(text).not.toMatch(/gh(?:p|p_|p_F.*)?…|F4ke/);
      // Half a mark says nothing.
      expect(text).not.toMatch(/\[r[edact]*…/);
    });
  });

  describe('reads no more of a text than it has to', () => {
    const MORE = 1_000_000;
    const planted = PLANTED_SECRETS.map(({ name, payload }) => [name, JSON.stringify(payload)] as const);

    test.each(planted)('and keeps the same beginning: %s', (_, before) => {
      const text = onlyText(`${before}\n${'some words and a line\n'.repeat(MORE / 22)}`);
      const kept = text.slice(0, text.indexOf('…'));

      const whole = redactor.text(`${before}\n${'some words and a line\n'.repeat(1_000)}`);
      expect(whole.startsWith(kept)).toBe(true);
      // A private key that was cut takes what follows with it.
      expect(kept.length).toBeGreaterThanOrEqual(Math.min(whole.length, MAX_TEXT_BYTES - 60));
    });

    test('and still says how much is gone', () => {
      const text = onlyText('€'.repeat(MORE));
      const [, kept = '', more] = /^(€+)… \[cut by the mesh: (\d+) more bytes\]$/.exec(text) ?? [];

      expect(kept.length * 3 + Number(more)).toBe(MORE * 3);
    });

    test('also where a secret is all that is left', () => {
      const text = onlyText(`of gh${'p_'}${'F4ke'.repeat(MORE / 4)}`);
      const read = 64 * 1024;

      expect(text).toBe(`of ${REDACTED}… [cut by the mesh: ${MORE + 'of ghp_'.length - read} more bytes]`);
      expectStable({ a: text });
    });

    test.each(range(0, 30))('so that half a secret at its end is not kept, %i characters of it', (half) => {
      const token = 'gh' + 'p_' + 'F4keT0ken'.repeat(4);
      const address = 'postgres://app:F4kePassw0rd@db.internal/app';
      for (const secret of [token, address]) {
        const before = `${'gh' + 'p_'}${'0ther'.repeat(20_000)}`.slice(0, 64 * 1024 - half - 1);
        const text = onlyText(`${before} ${secret} ${'y'.repeat(MORE)}`);

        expect(text).toMatch(
          /^\[redacted\](?: \[redacted\]| postgres:\/\/\[redacted\])?… \[cut by the mesh: \d+ more bytes\]$/,
        );
      }
    });

    test('so that a slow pattern has not much to be slow with', () => {
      const lengths: number[] = [];
      const counting = { ...redactor, text: (text: string) => (lengths.push(text.length), redactor.text(text)) };
      preparePayload({ a: ['a'.repeat(MORE), '€'.repeat(MORE)] }, counting);

      expect(lengths).toHaveLength(4);
      expect(Math.max(...lengths)).toBe(64 * 1024);
    });

    function onlyText(text: string): string {
      return payloadOf({ a: text })['a'] as string;
    }
  });

  describe('finds nothing more to do the second time', () => {
    test.each(PLANTED_SECRETS)('$name', ({ payload }) => {
      expectStable(payload);
    });

    test.each([
      ['a line', (distance: number) => `${'x '.repeat(9_000).slice(0, MAX_TEXT_BYTES - distance)}`],
      ['an open quote', (distance: number) => `say "${'x '.repeat(9_000).slice(0, MAX_TEXT_BYTES - distance)}`],
    ])('where a secret is cut after %s', (_, before) => {
      for (const secret of ['password="a b c"', 'token: abc', '{"api_key": "a"}', 'Cookie: a=b; c=d', `A`.repeat(40)]) {
        for (let distance = 20; distance < 90; distance++) {
          expectStable({ a: `${before(distance)} ${secret} ${'z'.repeat(200)}` });
        }
      }
    });

    test('whatever it is', () => {
      const piece = fc.oneof(
        fc.constantFrom('password=', 'token: ', '"', "'", '\n', ' ', 'A'.repeat(21), 'AK' + 'IA', '…', '://', '@', ':'),
        fc.constantFrom('Bearer ', 'x'.repeat(3_000), '€'.repeat(900), '😀'.repeat(700), REDACTED, '\ud800'),
        fc.string({ unit: 'binary', maxLength: 10 }),
      );
      const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
      const value = fc.oneof(text, fc.array(text, { maxLength: 3 }), fc.jsonValue());
      fc.assert(
        fc.property(fc.dictionary(fc.oneof(text, fc.constant('password')), value, { maxKeys: 4 }), (payload) => {
          const prepared = prepare(payload);
          if (prepared.ok) expect(prepare(prepared.payload)).toEqual({ ...prepared, truncated: false });
        }),
        { numRuns: 500 },
      );
    });

    test.each<[string, RegExp[], string]>([
      ['the mark', [/more/, /\d+/], `[cut by the mesh: ${REDACTED} ${REDACTED} bytes]`],
      ['the end', [/.…/], `${REDACTED} [cut by the mesh: `],
    ])('where a pattern of one’s own finds %s', (_, patterns, expected) => {
      const own = createRedactor({ patterns });
      const prepared = preparePayload({ a: [{ b: 'x'.repeat(MAX_TEXT_BYTES * 2) }] }, own);

      expect(prepared).toMatchObject({ ok: true, truncated: true });
      expect(firstText(payloadIn(prepared))).toContain(expected);
      expect(preparePayload(payloadIn(prepared), own)).toEqual({ ...prepared, truncated: false });
    });
  });
});

test('what every hook call loads is no package, and of Node no more than it needs', () => {
  const loaded = closure('client/cli/hook.ts');

  expect(loaded).toContain('client/prepare-payload.ts');
  expect(loaded).toContain('rules/dialects/claude-code/event.ts');
  expect(loaded.filter((module) => !/^(?:client|rules|contract|adapters|node:)/.test(module))).toEqual([]);
});

test('what it does to a payload needs nothing of Node', () => {
  const loaded = closure('client/prepare-payload.ts');

  expect(loaded).toContain('contract/text/redact/secret-shapes.ts');
  expect(loaded.filter((module) => !/^(?:client|contract)\//.test(module))).toEqual([]);
});

/** The modules a module imports, and those that they import; what is imported for its types only is not loaded. */
function closure(module: string, known = new Set<string>()): string[] {
  if (known.has(module)) return [...known];
  known.add(module);
  if (!module.endsWith('.ts')) return [...known];
  const source = readFileSync(join(ROOT, module), 'utf8');
  for (const [, from = ''] of source.matchAll(/^(?:import|export) (?!type\b)[^;]*?\bfrom '([^']+)'/gm)) {
    closure(sourceOf(from, module), known);
  }
  return [...known];
}

/** Of another room, or of the same; what is neither is a package or a part of Node. */
function sourceOf(from: string, importer: string): string {
  if (from.startsWith('#')) return from.slice(1).replace(/\.js$/, '.ts');
  return from.startsWith('.') ? join(dirname(importer), from).replace(/\.js$/, '.ts') : from;
}

function prepare(payload: Record<string, unknown>): PreparedPayload {
  return preparePayload(payload, redactor);
}

function payloadIn(prepared: PreparedPayload): Record<string, unknown> {
  if (!prepared.ok) throw new Error(prepared.problems.map(({ message }) => message).join('; '));
  return prepared.payload;
}

function payloadOf(payload: Record<string, unknown>): Record<string, unknown> {
  return payloadIn(prepare(payload));
}

function problemsIn(payload: Record<string, unknown>) {
  const prepared = prepare(payload);
  return prepared.ok ? [] : prepared.problems;
}

function expectStable(payload: Record<string, unknown>): void {
  const prepared = payloadOf(payload);
  expect(prepare(prepared)).toEqual({ ok: true, payload: prepared, truncated: false });
}

/** The text at `a[0].b`. */
function firstText(payload: Record<string, unknown>): string {
  return (payload as { a: [{ b: string }] }).a[0].b;
}

/** The payload itself is the first level. */
function nested(levels: number): Record<string, unknown> {
  let payload: Record<string, unknown> = {};
  for (let level = 1; level < levels; level++) payload = { a: payload };
  return payload;
}

/** A payload whose JSON has this many bytes, in texts that are short enough. */
function bytes(count: number): Record<string, unknown> {
  const texts: string[] = [];
  let left = count - '{"a":[]}'.length;
  while (left > 0) {
    // Two quotes, and a comma but for the last.
    const length = Math.min(MAX_TEXT_BYTES - 8, left - 2);
    texts.push('x'.repeat(length === left - 2 ? length : Math.min(length, left - 6)));
    left -= (texts.at(-1)?.length ?? 0) + 3;
  }
  return { a: texts };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

function deepFreeze<T extends object>(value: T): T {
  Object.values(value).forEach((inner) => typeof inner === 'object' && inner !== null && deepFreeze(inner as object));
  return Object.freeze(value);
}

function fail(): never {
  throw new Error('not now');
}
