import type { Lease, RestorePoint } from '#contract/lease.js';

// What becomes of a lease when it is asked for or re-acquired. All of it is pure.

/** Later than anybody asks for: a rule may ask for one day at most, and clocks differ by little. */
const LONGEST_MS = 48 * 3_600_000;

/** Whether a signal carries a lease of this environment, as an action sends it. Anyone can signal a workflow. */
export function isLeaseOf(environment: string, asked: unknown, now: number): asked is Lease {
  if (typeof asked !== 'object' || asked === null) return false;
  const lease = asked as Partial<Record<keyof Lease, unknown>>;
  const { tenant, effectKey, targetHash, ensure, untilAt, restorePoint } = lease;
  return (
    lease.environment === environment &&
    [tenant, effectKey, targetHash].every((text) => typeof text === 'string') &&
    isCount(ensure) &&
    isCount(untilAt) &&
    untilAt <= now + LONGEST_MS &&
    (restorePoint === undefined || isRestorePoint(restorePoint))
  );
}

function isRestorePoint(value: unknown): value is RestorePoint {
  if (typeof value !== 'object' || value === null) return false;
  const { originalCount, countsSetByMesh } = value as Partial<Record<keyof RestorePoint, unknown>>;
  return isCount(originalCount) && Array.isArray(countsSetByMesh) && countsSetByMesh.every(isCount);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** The lease after somebody has asked for its environment. To ask twice for the same changes nothing. */
export function extendLease(lease: Lease, asked: Lease): Lease {
  const untilAt = Math.max(lease.untilAt, asked.untilAt);
  // The numbers of one target say nothing about another.
  if (lease.targetHash !== asked.targetHash) return { ...asked, untilAt };
  return {
    ...withRestorePoint(lease, asked.restorePoint),
    tenant: asked.tenant,
    effectKey: asked.effectKey,
    ensure: Math.max(lease.ensure, asked.ensure),
    untilAt,
  };
}

/** The lease right before its capacity is raised again. The number is noted first, since the worker may die in between. */
export function leaseToReacquire(lease: Lease): Lease {
  const { restorePoint, ensure } = lease;
  return restorePoint ? { ...lease, restorePoint: withCounts(restorePoint, [ensure]) } : lease;
}

/** The lease after a number at its target was raised from there, if it was. */
export function withRestorePoint(lease: Lease, told: RestorePoint | undefined): Lease {
  const known = lease.restorePoint;
  if (!told) return lease;
  const isOurs = known && [known.originalCount, ...known.countsSetByMesh].includes(told.originalCount);
  // Raised from a number that the mesh itself has set, or has gone back to: the original count stays what it was.
  return { ...lease, restorePoint: isOurs ? withCounts(known, told.countsSetByMesh) : told };
}

function withCounts({ originalCount, countsSetByMesh }: RestorePoint, counts: number[]): RestorePoint {
  return { originalCount, countsSetByMesh: [...new Set([...countsSetByMesh, ...counts])] };
}
