import type { WatchActivities } from '../contract/activities.js';
import { matchBatch } from '../rules/match-batch.js';
import type { World } from './index.js';

/** Matches a batch of events against the rules as they are now. */
export function makeMatchEvents({ rulesets }: Pick<World, 'rulesets'>): WatchActivities['matchEvents'] {
  return async ({ tenant, events }) => {
    const loaded = await rulesets.get(tenant);
    return loaded.available ? matchBatch(loaded, events) : { available: false, problems: loaded.problems };
  };
}
