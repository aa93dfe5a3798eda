import { describe, expect, test } from 'vitest';
import type { MeshEvent } from '#contract/event.js';
import { cooldownKey, dedupKeys } from '#rules/fingerprint.js';
import { anEvent } from '../../support/builders.js';

const base = anEvent({ session: 's1', payload: { tool_name: 'Bash', input: { a: 1, b: 2 } } });

describe('dedupKeys', () => {
  test.each<[string, Partial<MeshEvent>]>([
    ['its id', { id: 'other' }],
    ['when it occurred', { occurredAt: 99 }],
    ['its depth', { depth: 1 }],
    ['who reported it', { source: 'gateway', agent: 'other' }],
    ['the order of keys in its payload', { payload: { input: { b: 2, a: 1 }, tool_name: 'Bash' } }],
  ])('do not depend on %s', (_, change) => {
    expect(keyOf({ ...base, ...change })).toBe(keyOf(base));
  });

  test.each(['tool_use_id', 'toolUseId', 'transcript_path', 'prompt_id', 'duration_ms', 'timestamp'])(
    'do not depend on %s of the payload',
    (field) => {
      const one = { ...base, payload: { ...base.payload, [field]: 'one' } };
      const other = { ...base, payload: { ...base.payload, [field]: 'other' } };

      expect(new Set([keyOf(one), keyOf(other), keyOf(base)]).size).toBe(1);
    },
  );

  test.each<[string, Partial<MeshEvent>]>([
    ['its name', { event: 'Stop' }],
    ['its outcome', { outcome: 'timeout' }],
    ['its session', { session: 's2' }],
    ['having no session', { session: undefined }],
    ['a value in its payload', { payload: { tool_name: 'Bash', input: { a: 1, b: 3 } } }],
    ['the type of a value', { payload: { tool_name: 'Bash', input: { a: '1', b: 2 } } }],
    ['a value more', { payload: { ...base.payload, extra: null } }],
    [
      "a volatile name deeper in its payload, where it is the tool's own",
      { payload: { ...base.payload, input: { a: 1, b: 2, timestamp: 5 } } },
    ],
  ])('depend on %s', (_, change) => {
    expect(keyOf({ ...base, ...change })).not.toBe(keyOf(base));
  });

  test('differ by rule and by action', () => {
    const keys = [...dedupKeys({ id: 'r1' }, ['a', 'b'], base), ...dedupKeys({ id: 'r2' }, ['a', 'b'], base)];

    expect(new Set(keys).size).toBe(4);
  });

  test('do not mix up where a rule id ends and an action begins', () => {
    const [one] = dedupKeys({ id: 'r' }, ['x,y'], base);
    const [other] = dedupKeys({ id: 'r,x' }, ['y'], base);

    expect(one).not.toBe(other);
  });

  test('with dedupBy depend on those paths alone', () => {
    const dedupBy = ['payload.tool_name', 'session'];
    const sameThere = { ...base, event: 'Stop', outcome: 'timeout' as const, payload: { tool_name: 'Bash', other: 1 } };

    expect(keyOf(sameThere, dedupBy)).toBe(keyOf(base, dedupBy));
    expect(keyOf({ ...base, session: 's2' }, dedupBy)).not.toBe(keyOf(base, dedupBy));
    expect(keyOf({ ...base, payload: { tool_name: 'Edit' } }, dedupBy)).not.toBe(keyOf(base, dedupBy));
  });

  test('with dedupBy may even count a volatile field', () => {
    const one = { ...base, payload: { tool_use_id: 'one' } };
    const other = { ...base, payload: { tool_use_id: 'other' } };

    expect(keyOf(one, ['payload.tool_use_id'])).not.toBe(keyOf(other, ['payload.tool_use_id']));
  });

  test('with dedupBy keep a value at its own path', () => {
    const here = { ...base, payload: { a: 'x' } };
    const there = { ...base, payload: { b: 'x' } };

    expect(keyOf(here, ['payload.a', 'payload.b'])).not.toBe(keyOf(there, ['payload.a', 'payload.b']));
  });
});

describe('cooldownKey', () => {
  test('is one per rule, whatever the event', () => {
    const one = cooldownKey({ id: 'r' }, base);
    const other = cooldownKey({ id: 'r' }, anEvent({ session: 's2', event: 'Stop' }));

    expect(one).toEqual(other);
    expect(one).not.toHaveProperty('label');
    expect(one.key).not.toBe(cooldownKey({ id: 'r2' }, base).key);
  });

  test('with cooldownBy is one per value, and says which', () => {
    const rule = { id: 'r', cooldownBy: ['session', 'payload.tool_name'] };

    const one = cooldownKey(rule, base);
    const same = cooldownKey(rule, anEvent({ session: 's1', payload: { tool_name: 'Bash', more: 1 } }));
    const other = cooldownKey(rule, anEvent({ session: 's2', payload: { tool_name: 'Bash' } }));

    expect(one.label).toBe('session=s1, payload.tool_name=Bash');
    expect(same).toEqual(one);
    expect(other.key).not.toBe(one.key);
  });

  test('with cooldownBy takes all events without a value together', () => {
    const rule = { id: 'r', cooldownBy: ['session'] };

    const one = cooldownKey(rule, anEvent({ id: 'a' }));
    const other = cooldownKey(rule, anEvent({ id: 'b', payload: { x: 1 } }));

    expect(one).toEqual(other);
    expect(one.label).toBe('session=nothing');
  });

  test('has a short label, however long the values', () => {
    const rule = { id: 'r', cooldownBy: ['payload.a', 'payload.b', 'payload.c', 'payload.d'] };
    const long = Object.fromEntries(['a', 'b', 'c', 'd'].map((key) => [key, key.repeat(5_000)]));

    const { label = '' } = cooldownKey(rule, anEvent({ payload: long }));

    expect(label.length).toBeLessThanOrEqual(120);
    expect(label).toMatch(/^payload.a=a+, payload.b=b+, …$/);
  });

  test('has a short label, however long the path', () => {
    const path = `payload.${'p'.repeat(500)}`;

    const { label = '' } = cooldownKey(
      { id: 'r', cooldownBy: [path, 'session'] },
      anEvent({ payload: { [path.slice(8)]: `a b ${'c'.repeat(500)}` } }),
    );

    expect(label.length).toBeLessThanOrEqual(120);
    expect(label).toMatch(/^payload.p+…="a b c+", …$/);
  });

  test('shows a value that reads like words of the mesh as what it is', () => {
    const rule = { id: 'r', cooldownBy: ['payload.tool_name', 'payload.n', 'payload.o'] };
    const payload = { tool_name: 'Bash is quiet until 2030', n: 7, o: { x: 'y' } };

    expect(cooldownKey(rule, anEvent({ payload })).label).toBe(
      `payload.tool_name="Bash is quiet until 2030", payload.n=7, payload.o="{'x':'y'}"`,
    );
  });

  test('tells long values apart even where their labels are alike', () => {
    const rule = { id: 'r', cooldownBy: ['payload.a'] };
    const at = (tail: string) => cooldownKey(rule, anEvent({ payload: { a: 'x'.repeat(500) + tail } }));

    expect(at('1').label).toBe(at('2').label);
    expect(at('1').key).not.toBe(at('2').key);
  });
});

function keyOf(event: MeshEvent, dedupBy?: string[]): string | undefined {
  return dedupKeys({ id: 'r', ...(dedupBy && { dedupBy }) }, ['a'], event)[0];
}
