import { describe, expect, test } from 'vitest';
import { emptyMemory, evictNearest, type GuardMemory, pruneExpired, rearm, remainingMs } from '#rules/guards/memory.js';

describe('remainingMs', () => {
  test.each([
    [99, 1],
    [100, 0],
    [101, 0],
    [0, 100],
  ])('at %d of a window until 100 is %d', (now, remaining) => {
    expect(remainingMs({ untilAt: 100 }, now)).toBe(remaining);
  });

  test('without a window is nothing', () => {
    expect(remainingMs(undefined, 5)).toBe(0);
  });
});

describe('pruneExpired', () => {
  test('forgets windows at the instant they expire, and no sooner', () => {
    const memory = memoryWith({ cooldowns: { a: 99, b: 100, c: 101 }, dedups: { d: 100, e: 101 } });

    pruneExpired(memory, 100);

    expect(keysOf(memory)).toEqual(['c', 'e']);
  });

  test('never forgets which events were seen', () => {
    const memory = memoryWith({});
    memory.seen.add('x');

    pruneExpired(memory, 1e15);

    expect(memory.seen.size).toBe(1);
  });
});

describe('rearm', () => {
  test('ends the windows of one rule, of both kinds', () => {
    const memory = memoryWith({ cooldowns: { a1: 5, b1: 5 }, dedups: { a2: 5, b2: 5 } });

    rearm(memory, 'rule-a');

    expect(keysOf(memory)).toEqual(['b1', 'b2']);
  });

  test('ends all of them', () => {
    const memory = memoryWith({ cooldowns: { a1: 5, b1: 5 }, dedups: { a2: 5, b2: 5 } });

    rearm(memory, undefined);

    expect(keysOf(memory)).toEqual([]);
  });

  test('of a rule nobody knows ends none', () => {
    const memory = memoryWith({ cooldowns: { a1: 5 }, dedups: { b2: 5 } });

    rearm(memory, 'rule-z');

    expect(keysOf(memory)).toEqual(['a1', 'b2']);
  });
});

describe('what a cooldown kept quiet', () => {
  const suppressed = { events: 1, firstAt: 1, lastAt: 1, sessions: [], moreSessions: 0 };

  test.each<[string, (memory: GuardMemory) => void]>([
    ['its time', (memory) => pruneExpired(memory, 100)],
    ['an operator', (memory) => rearm(memory, 'rule-a')],
    ['an operator who means every rule', (memory) => rearm(memory, undefined)],
  ])('is left when %s ends it', (_, end) => {
    const memory = memoryWith({});
    memory.cooldowns.set('a', { rule: 'rule-a', untilAt: 100, armedAt: 0, label: 'l', suppressed });
    memory.cooldowns.set('quiet', { rule: 'rule-a', untilAt: 100, armedAt: 0 });

    end(memory);

    expect(memory.cooldowns.size).toBe(0);
    expect(memory.ended).toEqual([{ rule: 'rule-a', key: 'a', untilAt: 100, armedAt: 0, label: 'l', suppressed }]);
  });
});

describe('evictNearest', () => {
  test('drops the windows nearest to expiry, of either kind', () => {
    const memory = memoryWith({ cooldowns: { a: 30, b: 10 }, dedups: { c: 20, d: 40 } });

    const evicted = evictNearest(memory, 2, () => 1);

    expect(evicted).toBe(2);
    expect(keysOf(memory)).toEqual(['a', 'd']);
  });

  test('drops no more than it takes to free so many bytes', () => {
    const memory = memoryWith({ cooldowns: { a: 10, b: 20, c: 30 } });

    expect(evictNearest(memory, 101, () => 100)).toBe(2);
    expect(keysOf(memory)).toEqual(['c']);
  });

  test('leaves what a cooldown kept quiet to whoever tells of it', () => {
    const memory = memoryWith({ cooldowns: { a: 10, b: 20 } });
    const suppressed = { events: 2, firstAt: 1, lastAt: 2, sessions: [], moreSessions: 0 };
    memory.cooldowns.set('a', { rule: 'rule-a', untilAt: 10, armedAt: 0, suppressed });

    evictNearest(memory, 2, () => 1);

    expect(memory.ended).toEqual([{ key: 'a', rule: 'rule-a', untilAt: 10, armedAt: 0, suppressed }]);
  });

  test('tells how many there were when that is fewer', () => {
    const memory = memoryWith({ cooldowns: { a: 30 }, dedups: { c: 20 } });

    expect(evictNearest(memory, 5, () => 1)).toBe(2);
    expect(evictNearest(memory, 5, () => 1)).toBe(0);
  });
});

/** Keys start with the letter of their rule. */
function memoryWith({
  cooldowns = {},
  dedups = {},
}: {
  cooldowns?: Record<string, number>;
  dedups?: Record<string, number>;
}): GuardMemory {
  const memory = emptyMemory();
  for (const [key, untilAt] of Object.entries(cooldowns))
    memory.cooldowns.set(key, { rule: `rule-${key.charAt(0)}`, untilAt, armedAt: 0 });
  for (const [key, untilAt] of Object.entries(dedups))
    memory.dedups.set(key, { rule: `rule-${key.charAt(0)}`, action: 'x', untilAt });
  return memory;
}

function keysOf(memory: GuardMemory): string[] {
  return [...memory.cooldowns.keys(), ...memory.dedups.keys()];
}
