import { type Led, noteLed } from './chains.js';
import { type Cooldown, type Dedup, endCooldown, type GuardMemory } from './memory.js';
import type { SavedSuppression } from './suppressed.js';

/** What the guards are to remember of one event that was judged. */
export interface Learnt {
  /** Armed before anything runs, and not released by failure: retries belong to the remediation. */
  cooldowns: Map<string, Cooldown>;
  dedups: Map<string, Dedup>;
  /** By the key of a live cooldown: what it has kept quiet by now. */
  suppressed: Map<string, SavedSuppression>;
  chain: Led;
}

/** All of it, or what only one kind of guard remembers: see the ledgers of the watch. */
export function learn(memory: GuardMemory, learnt: Learnt, now: number): void {
  learnWindows(memory, learnt);
  noteLed(memory.chains, learnt.chain, now);
}

export function learnWindows(memory: GuardMemory, { cooldowns, dedups, suppressed }: Omit<Learnt, 'chain'>): void {
  for (const [key, kept] of suppressed) {
    const cooldown = memory.cooldowns.get(key);
    if (cooldown) cooldown.suppressed = kept;
  }
  for (const [key, cooldown] of cooldowns) {
    // The one before may have ended in this moment, with no timer yet to say so.
    endCooldown(memory, key);
    memory.cooldowns.set(key, cooldown);
  }
  for (const [key, dedup] of dedups) memory.dedups.set(key, dedup);
}
