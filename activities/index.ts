import type {
  ActionActivities,
  LeaseActivities,
  NoticeActivities,
  SlotsActivities,
  WatchActivities,
} from '#contract/activities.js';
import { makeAwaitRules, makeMatchEvents } from './match-events.js';
import { makeComposeNotice } from './actions/notify-team/compose-notice.js';
import { makeComposeNotification } from './actions/notify-team/compose.js';
import { makeDeliverNotification } from './actions/notify-team/activity.js';
import { asFailure } from './fail.js';
import { makeAskForSlot } from './actions/spawn-fallback-agent/ask-for-slot.js';
import { makeEndFallbackAgent } from './actions/spawn-fallback-agent/end-agent.js';
import { makeSpawnFallbackAgent } from './actions/spawn-fallback-agent/activity.js';
import { makeFindClosed } from './find-closed.js';
import { makeStartNotices, makeStartRemediations } from './start-remediations.js';
import { makeReacquireCapacity, makeReleaseCapacity } from './actions/warm-remote-capacity/lease-activities.js';
import { makeWarmRemoteCapacity } from './actions/warm-remote-capacity/activity.js';
import type { World } from './world.js';

export type { World } from './world.js';

export type MeshActivities = WatchActivities & ActionActivities & NoticeActivities & LeaseActivities & SlotsActivities;

export function createActivities(world: World): MeshActivities {
  return {
    matchEvents: makeMatchEvents(world),
    startRemediations: makeStartRemediations(world),
    startNotices: makeStartNotices(world),
    awaitRules: makeAwaitRules(world),
    askForSlot: explained(makeAskForSlot(world)),
    findClosed: makeFindClosed(world),
    spawnFallbackAgent: explained(makeSpawnFallbackAgent(world)),
    endFallbackAgent: explained(makeEndFallbackAgent(world)),
    composeNotification: explained(makeComposeNotification(world)),
    composeNotice: explained(makeComposeNotice(world)),
    deliverNotification: explained(makeDeliverNotification(world)),
    warmRemoteCapacity: explained(makeWarmRemoteCapacity(world)),
    releaseCapacity: explained(makeReleaseCapacity(world)),
    reacquireCapacity: explained(makeReacquireCapacity(world)),
  };
}

function explained<Request, Answer>(
  action: (request: Request) => Promise<Answer>,
): (request: Request) => Promise<Answer> {
  return (request) =>
    action(request).catch((error: unknown) => {
      throw asFailure(error);
    });
}
