import { TemporalFailure } from '@temporalio/common';
import type { ActionActivities, WatchActivities } from '../contract/activities.js';
import type { MeshConfig } from '../config/mesh-config.js';
import type { RulesetStore } from '../config/ruleset-store.js';
import type { Current } from '../config/read-through.js';
import type { Mailer } from './adapters/mailer.js';
import type { RemediationStarter } from './adapters/remediation-starter.js';
import { makeAwaitRules } from './await-rules.js';
import { makeComposeNotification } from './compose-notification.js';
import { makeDeliverNotification } from './deliver-notification.js';
import { failure } from './fail.js';
import { makeMatchEvents } from './match-events.js';
import { makeSpawnFallbackAgent } from './spawn-fallback-agent.js';
import { makeStartRemediations } from './start-remediations.js';
import { makeWarmRemoteCapacity } from './warm-remote-capacity.js';
import { messageOf } from '../contract/message-of.js';

/** The outside world, as the activities see it. */
export interface World {
  rulesets: RulesetStore;
  config: { get(): Promise<Current<MeshConfig>> };
  starter: RemediationStarter;
  mailer: Mailer;
  env: Readonly<Record<string, string | undefined>>;
  /** Where people reach the Temporal UI, unless the configuration says otherwise. */
  temporalUi: string | undefined;
  /** Where the server is, for commands in messages. */
  temporal: { address: string; namespace: string };
}

export type MeshActivities = WatchActivities & ActionActivities;

export function createActivities(world: World): MeshActivities {
  return {
    matchEvents: makeMatchEvents(world),
    startRemediations: makeStartRemediations(world),
    awaitRules: makeAwaitRules(world),
    spawnFallbackAgent: explained(makeSpawnFallbackAgent(world)),
    composeNotification: explained(makeComposeNotification(world)),
    deliverNotification: explained(makeDeliverNotification(world)),
    warmRemoteCapacity: explained(makeWarmRemoteCapacity(world)),
  };
}

/** An error nobody expected still fails the action the way every failure does: with a type, and the number of the attempt. */
function explained<Request, Answer>(
  action: (request: Request) => Promise<Answer>,
): (request: Request) => Promise<Answer> {
  return async (request) => {
    try {
      return await action(request);
    } catch (error) {
      if (error instanceof TemporalFailure) throw error;
      const message = messageOf(error);
      throw failure({ type: 'action-error', message, cause: error });
    }
  };
}
