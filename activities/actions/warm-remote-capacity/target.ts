import type { Lease } from '../../../contract/lease.js';

/**
 * Where remote capacity comes from. Each method is one step of warming up or giving back, and can be done twice. What goes
 * wrong is thrown as a `TargetFailure`; an aborted signal throws its reason.
 */
export interface CapacityTarget {
  status(signal: AbortSignal): Promise<TargetStatus>;
  list(signal: AbortSignal): Promise<Environment[]>;
  /** None: this target cannot make environments. */
  createDefault(effectKey: string, signal: AbortSignal): Promise<Environment | undefined>;
  /** Answers which environment took the request; under an effect key that was used before, the one of then. */
  ensure(request: EnsureRequest, signal: AbortSignal): Promise<{ environment: string }>;
  /** The environment as it really is just now. */
  verify(environment: string, signal: AbortSignal): Promise<Environment>;
  release(lease: Lease, signal: AbortSignal): Promise<Released>;
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
  /** How many there are to be, where the target has only one such number for all who ask. */
  wanted?: number;
  isDefault: boolean;
  isEligible: boolean;
}

export interface EnsureRequest {
  environment: string;
  ensure: number;
  untilAt: number;
  effectKey: string;
  /** Done before anything is taken, so that nothing is ever taken that nobody gives back. */
  beforeTaking(wayBack: WayBack): Promise<void>;
}

/** What a target wants to be told again when the lease ends. */
export type WayBack = Pick<Lease, 'before' | 'raisedTo'>;

/** `isLeft`: there was nothing to give back, or it is not ours any more. */
export interface Released {
  isLeft: boolean;
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
