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
    // A clock that was set back must neither take away nor lock.
    const passedSeconds = Math.max(0, now - this.filledAt) / 1_000;
    this.filledAt = now;
    this.tokens = Math.min(this.perSecond * this.burstSeconds, this.tokens + passedSeconds * this.perSecond);
  }
}
