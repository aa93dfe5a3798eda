/** An event as the harness has made it, before any door. */
export interface MadeEvent {
  id: string;
  tenant: string;
  event: string;
  outcome: 'failed' | 'success';
  session: string;
  /** Events with the same sign are alike for dedup. */
  sign: string;
}

/** What a door said of an event. One that was sent in vain may have arrived all the same. */
export interface SentEvent {
  id: string;
  tenant: string;
  door: string;
  sentAt: number;
  /** When the door first said that it is stored. */
  acknowledgedAt?: number;
}

export interface Ledger {
  events: ReadonlyMap<string, SentEvent>;
  sending(event: { id: string; tenant: string }, door: string): void;
  acknowledged(ids: readonly string[], tenant: string, door: string): void;
  recent(tenant: string, count: number): SentEvent[];
}

/** Ids are unique over all tenants. */
export function createLedger(): Ledger {
  const events = new Map<string, SentEvent>();
  const note = (id: string, tenant: string, door: string): SentEvent => {
    const known = events.get(id) ?? { id, tenant, door, sentAt: Date.now() };
    events.set(id, known);
    return known;
  };
  return {
    events,
    sending: ({ id, tenant }, door) => void note(id, tenant, door),
    acknowledged(ids, tenant, door) {
      for (const id of ids) note(id, tenant, door).acknowledgedAt ??= Date.now();
    },
    recent: (tenant, count) => [...events.values()].filter((event) => event.tenant === tenant).slice(-count),
  };
}
