import { GatewayProblem } from './gateway-problem.js';
import { TokenBucket } from './token-bucket.js';

export const BURST_SECONDS = 2;

export interface RateLimits {
  /** Refuses when the tenant has used up its events; what a request holds is taken once that is known. */
  requireRoom(tenant: string, kind: LimitKind, perSecond: number): void;
  take(tenant: string, kind: LimitKind, count: number): void;
}

export type LimitKind = 'events' | 'requests';

/** Two buckets per tenant, of which there are as many as tokens name. A limit that was edited begins with a full bucket. */
export function createRateLimits(now: () => number): RateLimits {
  const buckets = new Map<string, { bucket: TokenBucket; perSecond: number }>();

  return {
    requireRoom(tenant, kind, perSecond) {
      const key = `${kind}/${tenant}`;
      let entry = buckets.get(key);
      if (entry?.perSecond !== perSecond) {
        entry = { bucket: new TokenBucket(perSecond, BURST_SECONDS, now()), perSecond };
        buckets.set(key, entry);
      }
      const waitMs = entry.bucket.waitMs(now());
      if (waitMs === 0) return;
      throw new GatewayProblem('rate-limited', `tenant ${tenant} may send ${perSecond} ${kind} a second`, {
        retryAfterSeconds: waitMs / 1_000,
      });
    },
    take(tenant, kind, count) {
      buckets.get(`${kind}/${tenant}`)?.bucket.take(count, now());
    },
  };
}
