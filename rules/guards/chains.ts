import type { SavedChain } from '#contract/watch.js';

/** What one first event has led to. Remembered for a day after its last remediation. */
export type Chains = Map<string, SavedChain>;

export const MAX_CHAINS = 500;
export const CHAIN_LIFE_MS = 86_400_000;

/** So many agents one first event may lead to within the window; a chain that runs away is faster than that. */
export const MAX_SPAWNS_IN_WINDOW = 3;
export const SPAWN_WINDOW_MS = 10_000;

/** What one event of a chain leads to. */
export interface Led {
  root: string;
  depth: number;
  remediations: number;
  /** Agents that are about to be started. */
  spawns: number;
}

export function noteLed(chains: Chains, { root, depth, remediations, spawns }: Led, now: number): void {
  if (remediations + spawns === 0) return;
  const chain = touch(chains, root, now);
  chain.remediations += remediations;
  chain.deepest = Math.max(chain.deepest, depth);
  if (spawns === 0) return;
  chain.spawns = (chain.spawns ?? 0) + spawns;
  chain.spawnedAt = [...(chain.spawnedAt ?? []), ...Array<number>(spawns).fill(now)].slice(-MAX_SPAWNS_IN_WINDOW);
}

/** Agents that the first event has led to. */
export function spawnsOf(chains: Chains, root: string): number {
  return chains.get(root)?.spawns ?? 0;
}

/** Those of them within the window before now. Half-open, like every window: one at its very beginning counts no more. */
export function recentSpawnsOf(chains: Chains, root: string, now: number): number {
  return (chains.get(root)?.spawnedAt ?? []).filter((at) => now - at < SPAWN_WINDOW_MS).length;
}

export function pruneChains(chains: Chains, now: number): void {
  for (const [root, { lastAt }] of chains) if (now - lastAt >= CHAIN_LIFE_MS) chains.delete(root);
}

/** Set again even when known, so that the map stays ordered by last use. */
function touch(chains: Chains, root: string, now: number): SavedChain {
  const chain = { root, remediations: 0, deepest: 0, ...chains.get(root), lastAt: now };
  chains.delete(root);
  if (chains.size >= MAX_CHAINS) chains.delete(leastMissed(chains));
  chains.set(root, chain);
  return chain;
}

/** The one to forget: silent longest among those that led to no agent, since only agents continue a chain; else among all. */
function leastMissed(chains: Chains): string {
  let oldest: string | undefined;
  for (const [root, { spawns = 0 }] of chains) {
    if (spawns === 0) return root;
    oldest ??= root;
  }
  return oldest ?? '';
}
