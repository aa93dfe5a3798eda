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
  /** The run before this one has given back what this lease is about, so the capacity must be reacquired first. */
  mustReacquire?: boolean;
}

/** How long one attempt to give back, or to reacquire, may take. */
export const LEASE_ATTEMPT_MS = 30_000;
