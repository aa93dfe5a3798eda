import { ApplicationFailure } from '@temporalio/common';
import type { WatchActivities } from '#contract/activities.js';
import { type LoadedRuleset, matchBatch, type MatchContext } from '#rules/match-batch.js';
import { createRedactor } from '#contract/text/redact/redact.js';
import { redactorOf } from './redactor-of.js';
import type { World } from './world.js';
import type { MeshConfig } from '#config/mesh-config.js';
import type { Current } from '#config/read-through.js';
import { shortenProblems } from '#config/shorten-problems.js';
import type { ConfigTrouble } from '#contract/matched.js';
import type { FailureType } from '#contract/failures.js';

type MatchWorld = Pick<World, 'config' | 'redactKeys' | 'lineageKey'> & { rulesets: Pick<World['rulesets'], 'get'> };

/** Matches a batch of events against the rules as they are now. */
export function makeMatchEvents(world: MatchWorld): WatchActivities['matchEvents'] {
  const redactorWithoutConfig = createRedactor({ keys: world.redactKeys });

  return async ({ tenant, events, knownHash }) => {
    const loaded = await world.rulesets.get(tenant);
    if (!loaded.available) return { available: false, problems: loaded.problems };
    const config = await world.config.get();
    const redact = config.available ? redactorOf(config.value, world.redactKeys).text : redactorWithoutConfig.text;
    const context: MatchContext = {
      lineage: { key: world.lineageKey, tenant, now: Date.now() },
      redact,
      // Judging goes on without a configuration: it decides only what is told at the end of a cooldown.
      digest: config.available && config.value.notify.digest,
    };
    const configTrouble = configTroubleOf(config, redact);
    const matched = matchBatch(loaded, events, context);
    const ruleIds = loaded.hash === knownHash ? undefined : ruleIdsOf(loaded);
    return {
      ...matched,
      ruleset: { ...matched.ruleset, ...(ruleIds && { ruleIds }) },
      ...(configTrouble && { configTrouble }),
    };
  };
}

/** They are recorded in the history of the watch once per version, and go along from run to run. */
const MAX_IDS_BYTES = 10_000;

function ruleIdsOf({ ruleset }: LoadedRuleset): string[] | undefined {
  const ids = ruleset.rules.map(({ id }) => id);
  return Buffer.byteLength(ids.join('')) > MAX_IDS_BYTES ? undefined : ids;
}

/** Enough to know what to look at. They are told with every batch, also of one event. */
const SHOWN_PROBLEMS = 3;

/** What the watch is told of a `mesh.yaml` that is not in use as it is now, so that people who look at it see that too. */
export function configTroubleOf(
  { available, problems }: Current<MeshConfig>,
  redact: (text: string) => string,
): ConfigTrouble | undefined {
  const [first] = problems;
  if (!first) return undefined;
  return {
    source: first.file ?? 'mesh.yaml',
    problems: shortenProblems(problems, { shown: SHOWN_PROBLEMS, redact }),
    hasGoodVersion: available,
  };
}

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
