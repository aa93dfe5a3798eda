import type { GuardMemory } from './memory.js';

/** A watch remembers at least so many event ids. */
export const MAX_SEEN_IDS = 20_000;

/**
 * A short hash of an event id. It runs in workflow code, where there is no crypto, and need not resist an attacker: whoever
 * could craft a colliding id could as well send the id itself. 53 bits: among 20,000 remembered ids a new one is taken for
 * seen once in 10^11.
 */
export function hashId(id: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < id.length; index++) {
    const code = id.charCodeAt(index);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return ((low >>> 0) * 0x20_0000 + ((high >>> 0) & 0x1f_ffff)).toString(36);
}

export function hasSeen(memory: GuardMemory, id: string): boolean {
  return memory.seen.has(hashId(id));
}

export function markSeen(memory: GuardMemory, id: string): void {
  memory.seen.add(hashId(id));
  if (memory.seen.size < MAX_SEEN_IDS + FORGET_AT_ONCE) return;
  let left = FORGET_AT_ONCE;
  for (const oldest of memory.seen) {
    memory.seen.delete(oldest);
    if (--left === 0) break;
  }
}

/** Ids go by the hundred: finding the oldest of a set means stepping over every one deleted before it. */
const FORGET_AT_ONCE = 500;
