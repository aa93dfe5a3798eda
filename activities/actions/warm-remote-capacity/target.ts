import type { Lease, RestorePoint } from '#contract/lease.js';

/**
 * Where remote capacity comes from. Each method is one step of warming up or giving back, and can be done twice. What goes
 * wrong is thrown as a `TargetFailure`; an aborted signal throws its reason.
 */
export interface CapacityTarget {
  status(signal: AbortSignal): Promise<TargetStatus>;
  list(signal: AbortSignal): Promise<Environment[]>;
  /** Answers nothing if this target cannot make environments. */
  createDefault(effectKey: string, signal: AbortSignal): Promise<Environment | undefined>;
  /** Answers which environment took the request: for an effect key that was used before, the environment of that time. */
  ensure(request: EnsureRequest, signal: AbortSignal): Promise<{ environment: string }>;
  /** The environment as it is now. */
  verify(environment: string, signal: AbortSignal): Promise<Environment>;
  release(lease: Lease, signal: AbortSignal): Promise<Released>;
  /** Takes what a lease keeps once more, since a release may have ended it. Answers a restore point if it raised a number. */
  reacquire(lease: Lease, signal: AbortSignal): Promise<RestorePoint | undefined>;
}

export interface TargetStatus {
  isActive: boolean;
  allowsRemoteSessions: boolean;
  preconditions: Precondition[];
}

export interface Precondition {
  name: string;
  ok: boolean;
  reason?: string | undefined;
}

export interface Environment {
  id: string;
  /** How many are ready for work. */
  ready: number;
  /** How many there should be, if the target has one such number for everybody. */
  wanted?: number;
  isDefault: boolean;
  isEligible: boolean;
}

export interface EnsureRequest {
  environment: string;
  ensure: number;
  effectKey: string;
  /**
   * Starts or extends the lease, and answers until when. To be done before anything is taken, so that nothing is ever taken
   * that nobody gives back.
   */
  keepLease(restorePoint?: RestorePoint): Promise<number>;
}

/** `isLeftAlone`: there was nothing to give back, or what is there is not the mesh's any more. */
export interface Released {
  isLeftAlone: boolean;
  detail: string;
}

export interface TargetFailureFacts {
  /** Proof that trying again cannot help. */
  isFinal: boolean;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

export class TargetFailure extends Error {
  override name = 'TargetFailure';
  readonly isFinal: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { isFinal, retryAfterMs, cause }: TargetFailureFacts) {
    super(message, cause === undefined ? undefined : { cause });
    this.isFinal = isFinal;
    this.retryAfterMs = retryAfterMs;
  }
}
