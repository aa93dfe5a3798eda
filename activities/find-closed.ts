import type { SlotsActivities } from '#contract/activities.js';
import type { SlotHolder } from '#contract/slots.js';
import type { World } from './world.js';

/** An agent on a live worker is gone by then: the abort reaches it with a heartbeat, and it has two seconds to end. */
const CLOSED_FOR_MS = 10_000;

/** Those whose run has been closed for a while. */
export function makeFindClosed({
  workflows,
}: {
  workflows: Pick<World['workflows'], 'closedAt'>;
}): SlotsActivities['findClosed'] {
  return async (holders) => {
    // What cannot be found out just now is looked for again.
    const closedAt = ({ holder, run }: SlotHolder) => workflows.closedAt(holder, run).catch(() => undefined);
    const times = await Promise.all(holders.map(closedAt));
    const latestAt = Date.now() - CLOSED_FOR_MS;
    return holders.filter((_holder, index) => (times[index] ?? Infinity) <= latestAt);
  };
}
