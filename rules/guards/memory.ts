/** The durable memory that can refuse a match. One value per tenant, held by the watch and by `simulate`. */
export interface GuardMemory {
  /** Hashed event ids, oldest first. */
  seen: Set<string>;
  cooldowns: Map<string, Cooldown>;
  dedups: Map<string, Dedup>;
}

export interface Cooldown {
  rule: string;
  untilAt: number;
  label?: string;
}

export interface Dedup {
  rule: string;
  action: string;
  untilAt: number;
}

export function emptyMemory(): GuardMemory {
  return { seen: new Set(), cooldowns: new Map(), dedups: new Map() };
}

/** Milliseconds a window still refuses. Half-open: at the instant it expires it refuses no more. */
export function remainingMs(window: { untilAt: number } | undefined, now: number): number {
  return window === undefined ? 0 : Math.max(0, window.untilAt - now);
}

/** Forgets windows that refuse nothing any more. */
export function pruneExpired(memory: GuardMemory, now: number): void {
  for (const windows of [memory.cooldowns, memory.dedups]) {
    for (const [key, window] of windows) if (remainingMs(window, now) === 0) windows.delete(key);
  }
}

/** Ends the live windows of one rule, or of all, before their time: an operator's wish. */
export function rearm(memory: GuardMemory, rule: string | undefined): void {
  for (const windows of [memory.cooldowns, memory.dedups]) {
    for (const [key, window] of windows) if (rule === undefined || window.rule === rule) windows.delete(key);
  }
}

/** Drops the windows nearest to expiry, which have the least left to refuse, until so many bytes are gone. Tells how many went. */
export function evictNearest(
  memory: GuardMemory,
  bytes: number,
  sizeOf: (key: string, window: Cooldown | Dedup) => number,
): number {
  const windows = [
    ...[...memory.cooldowns].map(([key, window]) => ({ from: memory.cooldowns, key, window })),
    ...[...memory.dedups].map(([key, window]) => ({ from: memory.dedups, key, window })),
  ].sort((a, b) => a.window.untilAt - b.window.untilAt);
  let freed = 0;
  let evicted = 0;
  for (const { from, key, window } of windows) {
    if (freed >= bytes) break;
    from.delete(key);
    freed += sizeOf(key, window);
    evicted += 1;
  }
  return evicted;
}
