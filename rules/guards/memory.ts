import type { Chains } from './chains.js';
import type { KnownAgents } from './known-agents.js';
import type { FiredFor } from '#contract/notice.js';
import type { SavedSuppression } from './suppressed.js';

/** The durable memory that can refuse a match. One value per tenant, held by the watch and by `simulate`. */
export interface GuardMemory {
  /** Hashed event ids, oldest first. */
  seen: Set<string>;
  cooldowns: Map<string, Cooldown>;
  dedups: Map<string, Dedup>;
  chains: Chains;
  agents: KnownAgents;
  /** Cooldowns that have ended and suppressed something that a team wants to hear of, until they are taken from here. */
  ended: EndedCooldown[];
}

export interface Cooldown {
  rule: string;
  untilAt: number;
  armedAt: number;
  label?: string;
  /** Where a team is told when the rule fires: what it fired for. */
  firedFor?: FiredFor;
  /** Kept only for rules with a digest. */
  suppressed?: SavedSuppression;
}

export interface EndedCooldown extends Cooldown {
  key: string;
  suppressed: SavedSuppression;
}

export interface Dedup {
  rule: string;
  action: string;
  untilAt: number;
}

export function emptyMemory(): GuardMemory {
  return { seen: new Set(), cooldowns: new Map(), dedups: new Map(), chains: new Map(), agents: new Map(), ended: [] };
}

/** How many milliseconds a window still refuses. At the instant at which it expires it refuses nothing. */
export function remainingMs(window: { untilAt: number } | undefined, now: number): number {
  return window === undefined ? 0 : Math.max(0, window.untilAt - now);
}

/** Forgets windows that refuse nothing any more. */
export function pruneExpired(memory: GuardMemory, now: number): void {
  for (const [key, window] of memory.cooldowns) if (remainingMs(window, now) === 0) endCooldown(memory, key);
  for (const [key, window] of memory.dedups) if (remainingMs(window, now) === 0) memory.dedups.delete(key);
}

/** Ends the live windows of one rule, or of all rules, before their time. An operator asked for it. */
export function rearm(memory: GuardMemory, rule: string | undefined): void {
  const isMeant = (window: { rule: string }) => rule === undefined || window.rule === rule;
  for (const [key, window] of memory.cooldowns) if (isMeant(window)) endCooldown(memory, key);
  for (const [key, window] of memory.dedups) if (isMeant(window)) memory.dedups.delete(key);
}

/** Forgets a cooldown, but not what it kept quiet. */
export function endCooldown(memory: GuardMemory, key: string): void {
  const cooldown = memory.cooldowns.get(key);
  memory.cooldowns.delete(key);
  if (cooldown?.suppressed) memory.ended.push({ ...cooldown, key, suppressed: cooldown.suppressed });
}

/**
 * Ends the windows nearest to expiry, which have the least left to refuse, until so many bytes are gone. Tells how many went.
 */
export function evictNearest(
  memory: GuardMemory,
  bytes: number,
  sizeOf: (key: string, window: Cooldown | Dedup) => number,
): number {
  const windows = [
    ...[...memory.cooldowns].map(([key, window]) => ({ end: endCooldown, key, window })),
    ...[...memory.dedups].map(([key, window]) => ({ end: endDedup, key, window })),
  ].sort((a, b) => a.window.untilAt - b.window.untilAt);
  let freed = 0;
  let evicted = 0;
  for (const { end, key, window } of windows) {
    if (freed >= bytes) break;
    end(memory, key);
    freed += sizeOf(key, window);
    evicted += 1;
  }
  return evicted;
}

function endDedup(memory: GuardMemory, key: string): void {
  memory.dedups.delete(key);
}
