import { describe, expect, test } from 'vitest';
import type { SavedChain } from '../../../contract/watch.js';
import { noteChain, pruneChains } from '../../../workflows/chains.js';
import { DAY_MS, MAX_CHAINS } from '../../../workflows/limits.js';
import { anEvent } from '../../support/builders.js';

describe('noteChain', () => {
  test('begins a chain with the first event', () => {
    const chains = new Map<string, SavedChain>();

    noteChain(chains, anEvent({ id: 'first' }), 100);

    expect([...chains.values()]).toEqual([{ root: 'first', remediations: 1, deepest: 0, lastAt: 100 }]);
  });

  test('counts what stems from the same first event, and how deep it went', () => {
    const chains = new Map<string, SavedChain>();

    noteChain(chains, anEvent({ id: 'first' }), 100);
    noteChain(chains, anEvent({ id: 'x', depth: 2, lineage: { root: 'first' } }), 200);
    noteChain(chains, anEvent({ id: 'y', depth: 1, lineage: { root: 'first' } }), 300);

    expect([...chains.values()]).toEqual([{ root: 'first', remediations: 3, deepest: 2, lastAt: 300 }]);
  });

  test('forgets the chain that was silent longest when there are too many', () => {
    const chains = new Map<string, SavedChain>();
    for (let index = 0; index < MAX_CHAINS; index++) noteChain(chains, anEvent({ id: `e${index}` }), index);
    noteChain(chains, anEvent({ id: 'again', lineage: { root: 'e0' } }), MAX_CHAINS);

    noteChain(chains, anEvent({ id: 'new' }), MAX_CHAINS + 1);

    expect(chains.size).toBe(MAX_CHAINS);
    expect([chains.has('e0'), chains.has('e1'), chains.has('new')]).toEqual([true, false, true]);
  });
});

describe('pruneChains', () => {
  test('forgets a chain after a day of silence, and no sooner', () => {
    const chains = new Map<string, SavedChain>();
    noteChain(chains, anEvent({ id: 'old' }), 0);
    noteChain(chains, anEvent({ id: 'young' }), 1);

    pruneChains(chains, DAY_MS);

    expect([...chains.keys()]).toEqual(['young']);
  });
});
