/** Capacity that was asked for until some time, and is given back then. The workflow `lease` keeps one per environment. */
export interface Lease {
  /** Whose event it was asked for last. */
  tenant: string;
  environment: string;
  ensure: number;
  untilAt: number;
  /** The effect key under which the capacity was asked for last. */
  effectKey: string;
  /** Tells one target from another without saying where it is. */
  targetHash: string;
  /** Where the target does not know by itself what to go back to. Absent when the mesh has changed nothing there. */
  restorePoint?: RestorePoint;
  /** What is still raised at the address that the bridge had before it moved to another one during this lease. */
  leftElsewhere?: { targetHash: string; restorePoint: RestorePoint };
}

/** How to undo what the mesh did to a number at the target. */
export interface RestorePoint {
  /** How many there were before the mesh raised the number. */
  originalCount: number;
  /** The numbers the mesh has set since. Any other number is somebody else's doing, and is left alone. */
  countsSetByMesh: number[];
}

export interface LeaseInput {
  lease: Lease;
  /** What an earlier lease on this environment has raised and never lowered: giving it back falls to this one. */
  inherited?: RestorePoint;
  /** Runs of earlier leases that left something raised at other targets, which no lease gives back any more. */
  unresolvedRuns?: string[];
  /** Who asked the run before this one. */
  askers?: Askers;
  /** Continue as new after so many signals. */
  maxExtensions?: number;
  /** The run before this one has given back what this lease is about, so the capacity must be reacquired first. */
  mustReacquire?: boolean;
}

/** Until when somebody has asked for a lease, by effect key: who asks for no more than that again asks for nothing new. */
export type Askers = Record<string, number>;

/** What the server remembers of a run under `LEASE_MEMO`, however the run ended: a terminated one cannot say it any more. */
export interface LeaseMemo {
  targetHash: string;
  restorePoint?: RestorePoint;
  unresolvedRuns: string[];
}

/** How long one attempt to give back, or to reacquire, may take. */
export const LEASE_ATTEMPT_MS = 30_000;
