import type { MeshEvent } from '../contract/event.js';
import type { SavedChain } from '../contract/watch.js';
import { DAY_MS, MAX_CHAINS } from './limits.js';

/** Remembers how far one first event has led: how many remediations stem from it, and how deep the chain went. */
export function noteChain(chains: Map<string, SavedChain>, event: MeshEvent, now: number): void {
  const root = event.lineage?.root ?? event.id;
  const known = chains.get(root) ?? { root, remediations: 0, deepest: 0, lastAt: now };
  // Set again even when known, so that the map stays ordered by last use and the oldest is the first.
  chains.delete(root);
  chains.set(root, {
    root,
    remediations: known.remediations + 1,
    deepest: Math.max(known.deepest, event.depth),
    lastAt: now,
  });
  const [oldest] = chains.keys();
  if (chains.size > MAX_CHAINS && oldest !== undefined) chains.delete(oldest);
}

export function pruneChains(chains: Map<string, SavedChain>, now: number): void {
  for (const [root, { lastAt }] of chains) if (now - lastAt >= DAY_MS) chains.delete(root);
}
