import type { WarmPlan } from '#contract/actions/warm-remote-capacity/schema.js';
import { utcBeside } from '#contract/text/markdown.js';
import type { Teller } from '../tell.js';

/** Capacity helps the next attempt. Whoever relies on it must know that it goes away. */
export const tellWarmRemoteCapacity: Teller<WarmPlan> = {
  part: 'helps',
  tellLeft({ ensure }, { leaseUntilAt }, { firedAt, nowMs }) {
    if (leaseUntilAt === undefined) return undefined;
    const until = `ready until ${utcBeside(leaseUntilAt, firedAt)} at least`;
    return `${ensure} ${leaseUntilAt <= nowMs ? `${until}, which is over;` : `${until},`} ${THEN}`;
  },
};

const THEN = 'then the mesh gives back what it raised';
