import { ApplicationFailure } from '@temporalio/common';
import type { WatchActivities } from '#contract/activities.js';
import type { FailureType } from '#contract/failures.js';
import type { World } from './world.js';

/** Succeeds once the tenant's rules can be had; until then each attempt fails with the reason, and the server tries again. */
export function makeAwaitRules({ rulesets }: Pick<World, 'rulesets'>): WatchActivities['awaitRules'] {
  return async (tenant) => {
    const loaded = await rulesets.get(tenant);
    if (loaded.available) return;
    throw ApplicationFailure.create({
      type: 'rules-unavailable' satisfies FailureType,
      message: loaded.problems.join('; '),
      category: 'BENIGN',
    });
  };
}
