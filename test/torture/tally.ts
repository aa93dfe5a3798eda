/** Counts for the summary, by what and by which kind: `faults` by name, `events` by door. */
export interface Tally {
  add(what: string, kind: string, times?: number): void;
  of(what: string): [kind: string, times: number][];
  total(what: string): number;
}

export function createTally(): Tally {
  const counts = new Map<string, Map<string, number>>();
  return {
    add(what, kind, times = 1) {
      const kinds = counts.get(what) ?? new Map<string, number>();
      counts.set(what, kinds.set(kind, (kinds.get(kind) ?? 0) + times));
    },
    of: (what) => [...(counts.get(what) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)),
    total: (what) => [...(counts.get(what)?.values() ?? [])].reduce((sum, times) => sum + times, 0),
  };
}
