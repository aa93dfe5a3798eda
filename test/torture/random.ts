/** Chooses everything that a run leaves to chance: the same seed makes the same choices. */
export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number, both ends included. */
  between(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  weighted<T extends { weight: number }>(rows: readonly T[]): T;
  /** A stream of its own, so that what one loop draws does not depend on how far the others are. */
  fork(name: string): Random;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;

  /** Mulberry32. */
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  function pick<T>(from: readonly T[]): T {
    const [first] = from;
    if (first === undefined) throw new Error('nothing to pick from');
    return from[Math.floor(next() * from.length)] ?? first;
  }

  return {
    next,
    pick,
    between: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (probability) => next() < probability,
    weighted(rows) {
      let left = next() * rows.reduce((sum, { weight }) => sum + weight, 0);
      return rows.find(({ weight }) => (left -= weight) < 0) ?? pick(rows);
    },
    fork: (name) =>
      createRandom([...name].reduce((hash, char) => Math.imul(hash ^ char.charCodeAt(0), 16777619), seed)),
  };
}
