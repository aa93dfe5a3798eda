/** A verdict as the watch tells it. */
export interface VerdictRow {
  tenant: string;
  eventId: string;
  at: number;
  verdict: 'fire' | 'skip';
  rule?: string;
  action?: string;
  code?: string;
  reason?: string;
  remediation?: string;
}

/** Every verdict that anybody was ever told of, each once. The watch itself forgets all but the last ones. */
export interface Gathered {
  rows(): VerdictRow[];
  of(eventId: string): VerdictRow[];
  add(tenant: string, rows: readonly Omit<VerdictRow, 'tenant'>[]): void;
  /** The watch of a tenant said that it had judged the event and forgotten how. */
  forgotten: Set<string>;
}

export function createGathered(): Gathered {
  const byEvent = new Map<string, Map<string, VerdictRow>>();
  return {
    rows: () => [...byEvent.values()].flatMap((rows) => [...rows.values()]),
    of: (eventId) => [...(byEvent.get(eventId)?.values() ?? [])],
    add(tenant, rows) {
      for (const row of rows) {
        const ofEvent = byEvent.get(row.eventId) ?? new Map<string, VerdictRow>();
        byEvent.set(row.eventId, ofEvent);
        // A fire learns of its remediation later, or that there is none. The one entry for all copies moves along with the last.
        const at = row.code === 'duplicate' ? 'last' : row.at;
        ofEvent.set(`${tenant} ${row.rule ?? ''} ${row.action ?? ''} ${at}`, { ...row, tenant });
      }
    },
    forgotten: new Set(),
  };
}
