import type { Askers, Lease, RestorePoint } from '#contract/lease.js';
import { DAY_MS } from './limits.js';

// What becomes of a lease when it is asked for, reacquired or moved. All of it is pure.

/** Later than anybody asks for: a rule may ask for one day at most, and clocks differ by little. */
const LONGEST_MS = 2 * DAY_MS;

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
  if (lease.targetHash !== asked.targetHash) return movedLease(lease, { ...asked, untilAt });
  return {
    ...withRestorePoint(lease, asked.restorePoint),
    tenant: asked.tenant,
    effectKey: asked.effectKey,
    ensure: Math.max(lease.ensure, asked.ensure),
    untilAt,
  };
}

/** The numbers of one target say nothing about another: what was raised at the one before is kept apart. */
function movedLease(lease: Lease, { leftElsewhere: _notAsked, ...asked }: Lease): Lease {
  const { targetHash, restorePoint, leftElsewhere } = lease;
  const isBack = leftElsewhere?.targetHash === asked.targetHash;
  const left = restorePoint ? { targetHash, restorePoint } : isBack ? undefined : leftElsewhere;
  return {
    ...withInherited(asked, isBack ? leftElsewhere.restorePoint : undefined),
    ...(left && { leftElsewhere: left }),
  };
}

/**
 * Whether this asks for nothing new. Somebody who brings a restore point is about to raise the number, whatever becomes of the
 * lease, so that must always be noted: nobody else would lower it.
 */
export function isSameAgain(askers: Askers, asked: Lease): boolean {
  return asked.restorePoint === undefined && !asksForMore(askers, asked);
}

/** Whether this is somebody new, or wants it for longer than before. */
export function asksForMore(askers: Askers, { effectKey, untilAt }: Lease): boolean {
  return untilAt > (askers[effectKey] ?? -1);
}

/** They travel from run to run, so there must be an end to them. */
const MAX_ASKERS = 200;

export function withAsker(askers: Askers, { effectKey, untilAt }: Lease): Askers {
  const all = Object.entries({ ...askers, [effectKey]: Math.max(untilAt, askers[effectKey] ?? 0) });
  if (all.length <= MAX_ASKERS) return Object.fromEntries(all);
  return Object.fromEntries(all.sort(([, one], [, other]) => other - one).slice(0, MAX_ASKERS));
}

/** The lease when it begins, with what an earlier one on the same target has raised and never lowered. */
export function withInherited(lease: Lease, inherited: RestorePoint | undefined): Lease {
  return inherited ? withRestorePoint({ ...lease, restorePoint: inherited }, lease.restorePoint) : lease;
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
