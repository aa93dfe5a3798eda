import { z } from 'zod';
import { flag, milliseconds, strict, wholeNumber } from '../../text/schema-words.js';
import { type ActionDefaults, DAY_MS, ofEveryAction, type PlanOf } from '../of-every-action.js';

const DEFAULT_LEASE_MS = 900_000;

export const WarmRemoteCapacity = strict({
  type: z.literal('warm_remote_capacity'),
  ...ofEveryAction,
  createDefaultEnvironmentIfMissing: flag().optional(),
  /** How many to have ready. */
  ensure: wholeNumber(1, 1000).default(1),
  /** For how long; then the capacity is given back, unless another remediation asked meanwhile. */
  forMs: milliseconds(1_000, DAY_MS).default(DEFAULT_LEASE_MS),
});
export type WarmPlan = PlanOf<typeof WarmRemoteCapacity>;

export const warmDefaults: ActionDefaults = {
  timeoutMs: 60_000,
  retry: { maxAttempts: 5, initialIntervalMs: 1_000, maxIntervalMs: 30_000 },
};
