import type { WatchActivities } from '#contract/activities.js';
import { withHeartbeat } from './heartbeat.js';
import type { World } from './world.js';

/** Starts a workflow per message. The ids decide: one that was started before is left as it is. */
export function makeStartNotices({ workflows }: Pick<World, 'workflows'>): WatchActivities['startNotices'] {
  return (notices) =>
    withHeartbeat(async () => {
      await Promise.all(notices.map((notice) => workflows.startNotice(notice)));
    });
}
