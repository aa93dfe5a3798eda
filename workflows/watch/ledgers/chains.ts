import { code, utc } from '#contract/text/markdown.js';
import { plural } from '#contract/text/words.js';
import type { SavedChain } from '#contract/watch.js';
import { CHAIN_LIFE_MS, noteLed, pruneChains } from '#rules/guards/chains.js';
import type { GuardMemory } from '#rules/guards/memory.js';
import { FORGET_STEP_MS } from '../limits.js';
import { dueFirst, type Ledger } from './ledger.js';

const SHOWN_CHAINS = 5;

/** How far each first event has led. */
export function createChains({ chains }: GuardMemory): Ledger<SavedChain[]> {
  const withAgents = () => [...chains.values()].filter(({ spawns = 0 }) => spawns > 0);
  return {
    load(saved) {
      for (const chain of saved) chains.set(chain.root, chain);
    },
    save: () => [...chains.values()],
    prune: (now) => pruneChains(chains, now),
    // Only agents make a chain go on.
    due: () =>
      dueFirst(
        withAgents().map(({ lastAt }) => lastAt + CHAIN_LIFE_MS),
        'forgets what is old',
        FORGET_STEP_MS,
      ),
    learn({ learnt, at }) {
      if (learnt) noteLed(chains, learnt.chain, at);
    },
    show: () => ({ chains: [...chains.values()] }),
    details: () => describe(withAgents()),
  };
}

/** Those that led to the most agents: who looks for what runs away looks here. */
function describe(chains: SavedChain[]): string {
  if (chains.length === 0) return '';
  const lines = chains
    .sort((one, other) => (other.spawns ?? 0) - (one.spawns ?? 0) || other.lastAt - one.lastAt)
    .slice(0, SHOWN_CHAINS)
    .map(
      ({ root, spawns = 0, remediations, deepest, lastAt }) =>
        `- ${code(root)}: ${plural(spawns, 'agent')} in ${plural(remediations, 'remediation')}, down to depth ${deepest}, last ${utc(lastAt)}`,
    );
  return ['**Agents started, by the event that began it** (last 24 hours, most first)', '', ...lines].join('\n');
}
