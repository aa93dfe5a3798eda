import { GatewayProblem } from './gateway-problem.js';

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

/** So much per second, and for a moment more: what was not used in the last `burstSeconds`. */
export class TokenBucket {
  private tokens: number;
  private filledAt: number;

  constructor(
    private readonly perSecond: number,
    private readonly burstSeconds: number,
    now: number,
  ) {
    this.tokens = perSecond * burstSeconds;
    this.filledAt = now;
  }

  /** Milliseconds until something may be taken; 0 when it may be now. */
  waitMs(now: number): number {
    this.fill(now);
    return this.tokens > 0 ? 0 : Math.floor((-this.tokens / this.perSecond) * 1_000) + 1;
  }

  /** May leave a debt, which later ones wait for: an array larger than the whole bucket gets through too. */
  take(count: number, now: number): void {
    this.fill(now);
    this.tokens -= count;
  }

  private fill(now: number): void {
    // A clock that was set back must neither take tokens away nor block a tenant.
    const passedSeconds = Math.max(0, now - this.filledAt) / 1_000;
    this.filledAt = now;
    this.tokens = Math.min(this.perSecond * this.burstSeconds, this.tokens + passedSeconds * this.perSecond);
  }
}
