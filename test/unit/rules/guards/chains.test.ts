import { describe, expect, test } from 'vitest';
import {
  CHAIN_LIFE_MS,
  type Chains,
  MAX_CHAINS,
  noteLed,
  pruneChains,
  recentSpawnsOf,
  spawnsOf,
} from '#rules/guards/chains.js';

describe('a remediation', () => {
  test('begins a chain with the first event', () => {
    const chains: Chains = new Map();

    noteRemediation(chains, 'first', 0, 100);

    expect([...chains.values()]).toEqual([{ root: 'first', remediations: 1, deepest: 0, lastAt: 100 }]);
  });

  test('counts what stems from the same first event, and how deep it went', () => {
    const chains: Chains = new Map();

    noteRemediation(chains, 'first', 0, 100);
    noteRemediation(chains, 'first', 2, 200);
    noteRemediation(chains, 'first', 1, 300);

    expect([...chains.values()]).toEqual([{ root: 'first', remediations: 3, deepest: 2, lastAt: 300 }]);
  });
});

describe('an agent', () => {
  test('counts agents, and remembers when the last three were started', () => {
    const chains: Chains = new Map();

    for (const at of [1, 2, 3, 4]) noteSpawn(chains, 'first', at);

    expect(chains.get('first')).toMatchObject({ spawns: 4, spawnedAt: [2, 3, 4], lastAt: 4 });
    expect([spawnsOf(chains, 'first'), spawnsOf(chains, 'other')]).toEqual([4, 0]);
  });

  test.each([
    [10_000, 3],
    [10_001, 2],
    [10_002, 1],
    [10_003, 0],
  ])('at %d ms, of agents started at 1, 2 and 3 ms, %d are recent', (now, recent) => {
    const chains: Chains = new Map();
    for (const at of [1, 2, 3]) noteSpawn(chains, 'first', at);

    expect(recentSpawnsOf(chains, 'first', now)).toBe(recent);
  });
});

describe('when there are too many chains', () => {
  test('the one that was silent longest is forgotten', () => {
    const chains: Chains = new Map();
    for (let index = 0; index < MAX_CHAINS; index++) noteRemediation(chains, `e${index}`, 0, index);
    noteRemediation(chains, 'e0', 0, MAX_CHAINS);

    noteRemediation(chains, 'new', 0, MAX_CHAINS + 1);

    expect(chains.size).toBe(MAX_CHAINS);
    expect([chains.has('e0'), chains.has('e1'), chains.has('new')]).toEqual([true, false, true]);
  });

  test('one that led to agents stays longer than one that did not', () => {
    const chains: Chains = new Map();
    noteSpawn(chains, 'with-agent', 0);
    for (let index = 0; index < MAX_CHAINS; index++) noteRemediation(chains, `e${index}`, 0, index);

    expect([chains.has('with-agent'), chains.has('e0'), chains.size]).toEqual([true, false, MAX_CHAINS]);
  });

  test('but not for ever', () => {
    const chains: Chains = new Map();
    for (let index = 0; index <= MAX_CHAINS; index++) noteSpawn(chains, `e${index}`, index);

    expect([chains.has('e0'), chains.has(`e${MAX_CHAINS}`), chains.size]).toEqual([false, true, MAX_CHAINS]);
  });
});

describe('pruneChains', () => {
  test('forgets a chain after a day of silence, and no sooner', () => {
    const chains: Chains = new Map();
    noteRemediation(chains, 'old', 0, 0);
    noteRemediation(chains, 'young', 0, 1);

    pruneChains(chains, CHAIN_LIFE_MS);

    expect([...chains.keys()]).toEqual(['young']);
  });
});

function noteRemediation(chains: Chains, root: string, depth: number, now: number): void {
  noteLed(chains, { root, depth, remediations: 1, spawns: 0 }, now);
}

function noteSpawn(chains: Chains, root: string, now: number): void {
  noteLed(chains, { root, depth: 0, remediations: 0, spawns: 1 }, now);
}
