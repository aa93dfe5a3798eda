import type { MeshConfig } from '../config/mesh-config.js';
import type { WatchActivities } from '../contract/activities.js';
import { matchBatch, type MatchContext } from '../rules/match-batch.js';
import { createRedactor } from '../rules/redact.js';
import { redactorOf } from './redactor-of.js';
import type { World } from './world.js';

type MatchWorld = Pick<World, 'rulesets' | 'config' | 'redactKeys' | 'lineageKey'>;

/** Matches a batch of events against the rules as they are now. */
export function makeMatchEvents(world: MatchWorld): WatchActivities['matchEvents'] {
  const redactorWithoutConfig = createRedactor({ keys: world.redactKeys });

  return async ({ tenant, events }) => {
    const loaded = await world.rulesets.get(tenant);
    if (!loaded.available) return { available: false, problems: loaded.problems };
    const config = await configNow(world);
    const redactor = config ? redactorOf(config, world.redactKeys) : redactorWithoutConfig;
    const context: MatchContext = {
      lineage: { key: world.lineageKey, tenant, now: Date.now() },
      redact: redactor.text,
      digest: config?.notify.digest ?? false,
    };
    return matchBatch(loaded, events, context);
  };
}

/** Judging goes on without it: it decides only what is told at the end of a cooldown. */
async function configNow({ config }: MatchWorld): Promise<MeshConfig | undefined> {
  const current = await config.get();
  return current.available ? current.value : undefined;
}
