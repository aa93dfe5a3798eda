import { TemporalFailure } from '@temporalio/common';
import type { ActionActivities, LeaseActivities, NoticeActivities, WatchActivities } from '../contract/activities.js';
import { makeAwaitRules } from './await-rules.js';
import { makeComposeNotice } from './actions/notify-team/compose-notice.js';
import { makeComposeNotification } from './actions/notify-team/compose.js';
import { makeDeliverNotification } from './actions/notify-team/activity.js';
import { failure } from './fail.js';
import { makeMatchEvents } from './match-events.js';
import { makeSpawnFallbackAgent } from './actions/spawn-fallback-agent/activity.js';
import { makeStartNotices } from './start-notices.js';
import { makeStartRemediations } from './start-remediations.js';
import { makeReleaseCapacity } from './actions/warm-remote-capacity/release.js';
import { makeWarmRemoteCapacity } from './actions/warm-remote-capacity/activity.js';
import { messageOf } from '../contract/message-of.js';
import type { World } from './world.js';

export type { World } from './world.js';

export type MeshActivities = WatchActivities & ActionActivities & NoticeActivities & LeaseActivities;

export function createActivities(world: World): MeshActivities {
  return {
    matchEvents: makeMatchEvents(world),
    startRemediations: makeStartRemediations(world),
    startNotices: makeStartNotices(world),
    awaitRules: makeAwaitRules(world),
    spawnFallbackAgent: explained(makeSpawnFallbackAgent(world)),
    composeNotification: explained(makeComposeNotification(world)),
    composeNotice: explained(makeComposeNotice(world)),
    deliverNotification: explained(makeDeliverNotification(world)),
    warmRemoteCapacity: explained(makeWarmRemoteCapacity(world)),
    releaseCapacity: explained(makeReleaseCapacity(world)),
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
