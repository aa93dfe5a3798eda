/** Capacity that was asked for until some time, after which it is given back. The workflow `lease` keeps one per environment. */
export interface Lease {
  tenant: string;
  environment: string;
  ensure: number;
  untilAt: number;
  /** The effect key by which the capacity was asked for last. */
  effectKey: string;
  /** What to go back to, where the target does not know by itself: how many there were before the mesh raised it. */
  before?: number;
  /** The numbers the mesh has set since. Any other number is somebody else's doing, and is left alone. */
  raisedTo?: number[];
}

export interface LeaseInput {
  lease: Lease;
  /** Workflow id. */
  id: string;
  /** Continue as new after so many extensions. */
  maxExtensions?: number;
}

/** A lease when another remediation asks for the same environment, or the same one again. Doing it twice changes nothing. */
export function extendLease(lease: Lease, asked: Lease): Lease {
  const { before: _before, raisedTo: _raisedTo, ...rest } = asked;
  return {
    ...rest,
    ensure: Math.max(lease.ensure, asked.ensure),
    untilAt: Math.max(lease.untilAt, asked.untilAt),
    ...wayBack(lease, asked),
  };
}

function wayBack(lease: Lease, asked: Lease): Pick<Lease, 'before' | 'raisedTo'> {
  if (asked.before === undefined) return pickWayBack(lease);
  const isOurs = lease.before !== undefined && lease.raisedTo?.includes(asked.before) === true;
  if (!isOurs) return pickWayBack(asked);
  // Raised from a number that the mesh itself has set: what was there before that still counts.
  return { ...pickWayBack(lease), raisedTo: [...new Set([...(lease.raisedTo ?? []), ...(asked.raisedTo ?? [])])] };
}

function pickWayBack({ before, raisedTo }: Lease): Pick<Lease, 'before' | 'raisedTo'> {
  return { ...(before !== undefined && { before }), ...(raisedTo !== undefined && { raisedTo }) };
}
