import { describe, expect, test } from 'vitest';
import { nearest } from '#contract/text/nearest.js';

const KEYS = ['id', 'cooldownMs', 'cooldownBy', 'dedupWindowMs', 'actions', 'trigger'];

describe('nearest', () => {
  test.each([
    ['coolDownMs', 'cooldownMs'],
    ['cooldown_ms', 'cooldownMs'],
    ['cooldwnBy', 'cooldownBy'],
    ['action', 'actions'],
    ['tigger', 'trigger'],
    ['DEDUPWINDOWMS', 'dedupWindowMs'],
    ['actions', 'actions'],
  ])('takes %s for %s', (word, meant) => {
    expect(nearest(word, KEYS)).toBe(meant);
  });

  test.each(['description', 'xyz', '', 'a'])('takes %j for none of them', (word) => {
    expect(nearest(word, KEYS)).toBeUndefined();
  });

  test('prefers the nearer of two', () => {
    expect(nearest('cooldownBi', KEYS)).toBe('cooldownBy');
  });

  test('has no guess among no candidates', () => {
    expect(nearest('id', [])).toBeUndefined();
  });
});
