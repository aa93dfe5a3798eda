/** Counts for the summary, by what and by which kind: `faults` by name, `events` by door. */
export interface Tally {
  add(what: string, kind: string, times?: number): void;
  /** A program stood still from then until now. */
  froze(name: string, fromAt: number): void;
  freezes(): readonly Freeze[];
  of(what: string): [kind: string, times: number][];
  total(what: string): number;
}

export interface Freeze {
  name: string;
  fromAt: number;
  untilAt: number;
}

export function createTally(): Tally {
  const freezes: Freeze[] = [];
  const counts = new Map<string, Map<string, number>>();
  return {
    add(what, kind, times = 1) {
      const kinds = counts.get(what) ?? new Map<string, number>();
      counts.set(what, kinds.set(kind, (kinds.get(kind) ?? 0) + times));
    },
    froze: (name, fromAt) => void freezes.push({ name, fromAt, untilAt: Date.now() }),
    freezes: () => freezes,
    of: (what) => [...(counts.get(what) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)),
    total: (what) => [...(counts.get(what)?.values() ?? [])].reduce((sum, times) => sum + times, 0),
  };
}
