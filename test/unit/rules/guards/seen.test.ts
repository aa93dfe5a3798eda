import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyMemory } from '#rules/guards/memory.js';
import { hashId, hasSeen, markSeen, MAX_SEEN_IDS } from '#rules/guards/seen.js';

describe('hashId', () => {
  test('is short, and holds nothing that would part a list', () => {
    fc.assert(
      fc.property(fc.string(), (id) => {
        expect(hashId(id)).toMatch(/^[0-9a-z]{1,11}$/);
      }),
    );
  });

  test.each([
    ['', 'p4s92mw4n7'],
    ['event-1', '1jlxs3yhd0i'],
    ['3f1c2b60-0000-4000-8000-000000000000', 'qkmt8shxev'],
  ])('of %j never changes, since running watches carry hashes of before', (id, hash) => {
    expect(hashId(id)).toBe(hash);
  });

  test('tells apart a hundred thousand ids that differ by little', () => {
    const hashes = new Set<string>();
    for (let index = 0; index < 100_000; index++) hashes.add(hashId(`toolu_01ABCDEF${index}`));

    expect(hashes.size).toBe(100_000);
  });

  test('tells apart ids whose letters are the same in another order', () => {
    expect(new Set(['abc', 'acb', 'bac', 'bca', 'cab', 'cba'].map(hashId)).size).toBe(6);
  });
});

describe('the memory of seen ids', () => {
  test('knows what was marked, and nothing else', () => {
    const memory = emptyMemory();

    markSeen(memory, 'a');

    expect([hasSeen(memory, 'a'), hasSeen(memory, 'b')]).toEqual([true, false]);
  });

  test('forgets the oldest ids, some hundreds at a time, and always keeps the last 20,000', () => {
    const memory = emptyMemory();
    const last = MAX_SEEN_IDS * 2;

    for (let index = 0; index <= last; index++) markSeen(memory, `id-${index}`);

    expect(memory.seen.size).toBeGreaterThanOrEqual(MAX_SEEN_IDS);
    expect(memory.seen.size).toBeLessThan(MAX_SEEN_IDS + 500);
    for (const kept of [last, last - MAX_SEEN_IDS + 1]) expect(hasSeen(memory, `id-${kept}`)).toBe(true);
    for (const gone of [0, last - MAX_SEEN_IDS - 500]) expect(hasSeen(memory, `id-${gone}`)).toBe(false);
  });

  test('keeps 20,000 ids', () => {
    expect(MAX_SEEN_IDS).toBe(20_000);
  });

  test('forgets none for an id marked twice', () => {
    const memory = emptyMemory();
    for (let index = 0; index < MAX_SEEN_IDS; index++) markSeen(memory, `id-${index}`);

    markSeen(memory, 'id-7');

    expect(hasSeen(memory, 'id-0')).toBe(true);
  });
});
