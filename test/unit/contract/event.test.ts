import { describe, expect, test } from 'vitest';
import { MAX_DEPTH, MeshEvent } from '#contract/event.js';
import { anEvent } from '../../support/builders.js';

describe('MeshEvent', () => {
  test.each([
    ['an id of one character', { id: 'x' }],
    ['an id of 200 characters', { id: 'x'.repeat(200) }],
    ['an id with every mark it may hold', { id: 'aZ09_.:@+=~-' }],
    ['a name of one letter', { event: 'S' }],
    ['a name of 128 characters', { event: `S${'t'.repeat(127)}` }],
    ['a name with dots, colons and dashes', { event: 'agent.run:step-2_done' }],
    ['a tenant of 63 characters', { tenant: 'a'.repeat(63) }],
    ['depth 0', { depth: 0 }],
    ['the largest depth', { depth: MAX_DEPTH }],
    ['the beginning of time', { occurredAt: 0 }],
    ['the end of time', { occurredAt: 8_640_000_000_000_000 }],
    ['a session of 200 characters', { session: 's'.repeat(200) }],
    ['a lineage without a parent', { lineage: { root: 'event-0' } }],
    ['a payload with anything in it', { payload: { a: [null, { b: 1 }], '': 'x' } }],
  ])('takes %s', (_, overrides) => {
    const parsed = MeshEvent.safeParse(anEvent(overrides));

    expect(parsed.success && parsed.data).toEqual(anEvent(overrides));
  });

  test.each([
    ['an empty id', { id: '' }],
    ['an id of 201 characters', { id: 'x'.repeat(201) }],
    ['an id with a slash, which would change the workflow id it becomes part of', { id: 'a/b' }],
    ['an id with a blank', { id: 'a b' }],
    ['an id with a line break at its end', { id: 'a\n' }],
    ['an empty name', { event: '' }],
    ['a name that starts with a digit', { event: '1Stop' }],
    ['a name of 129 characters', { event: `S${'t'.repeat(128)}` }],
    ['an outcome in capitals', { outcome: 'Failed' }],
    ['an empty tenant', { tenant: '' }],
    ['a tenant in capitals', { tenant: 'Team' }],
    ['a tenant that climbs folders', { tenant: '../x' }],
    ['a tenant that starts with a dash', { tenant: '-a' }],
    ['a tenant of 64 characters', { tenant: 'a'.repeat(64) }],
    ['a negative depth', { depth: -1 }],
    ['a depth beyond the largest', { depth: MAX_DEPTH + 1 }],
    ['half a depth', { depth: 0.5 }],
    ['a depth in quotes', { depth: '1' }],
    ['a time before 1970', { occurredAt: -1 }],
    ['a time no date can hold', { occurredAt: 8_640_000_000_000_001 }],
    ['an empty session', { session: '' }],
    ['a session of 201 characters', { session: 's'.repeat(201) }],
    ['a null where a field may be absent', { agent: null }],
    ['a lineage without a root', { lineage: { parent: 'x' } }],
    ['an unknown field', { tool: 'Bash' }],
    ['a list as payload', { payload: [] }],
    ['a text as payload', { payload: 'x' }],
  ])('refuses %s', (_, overrides) => {
    const parsed = MeshEvent.safeParse({ ...anEvent(), ...overrides });

    expect(parsed.success).toBe(false);
  });

  test.each(['id', 'event', 'outcome', 'tenant', 'depth', 'occurredAt', 'payload'])(
    'refuses an event without %s',
    (field) => {
      const without = Object.fromEntries(Object.entries(anEvent()).filter(([key]) => key !== field));

      const parsed = MeshEvent.safeParse(without);

      expect(parsed.success).toBe(false);
    },
  );
});
