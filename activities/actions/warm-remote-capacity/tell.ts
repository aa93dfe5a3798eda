import type { WarmPlan } from '#contract/actions/warm-remote-capacity/schema.js';
import { duration } from '#contract/text/duration.js';
import { utcBeside } from '#contract/text/markdown.js';
import type { Teller } from '../tell.js';

/** Capacity helps the next attempt. Whoever relies on it must know that it goes away. */
export const tellWarmRemoteCapacity: Teller<WarmPlan> = {
  part: 'helps',
  tellLeft(plan, { leaseUntilAt }, { firedAt, nowMs }) {
    if (leaseUntilAt === undefined) return guessLease(plan, firedAt, nowMs);
    const until = `ready until ${utcBeside(leaseUntilAt, firedAt)} at least`;
    return `${plan.ensure} ${leaseUntilAt <= nowMs ? `${until}, which is over;` : `${until},`} ${THEN}`;
  },
};

const THEN = 'then the mesh gives back what it raised';

/**
 * Of a result that does not say until when. A lease begins when its action does, which is after the rule has fired. A plan of
 * an earlier version does not say how long it is.
 */
function guessLease({ ensure, forMs }: Partial<WarmPlan>, firedAt: number, nowMs: number): string | undefined {
  if (forMs === undefined) return undefined;
  const untilAt = firedAt + forMs;
  // It may have begun later, after actions that took long, or when an operator had it tried again.
  if (untilAt <= nowMs) return `${ensure} ready for ${duration(forMs)}, which may be over; ${THEN}`;
  return `${ensure} ready until ${utcBeside(untilAt, firedAt)} at least, ${THEN}`;
}
