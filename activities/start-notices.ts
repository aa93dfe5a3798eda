import type { WatchActivities } from '../contract/activities.js';
import type { World } from './world.js';

/** Starts a workflow per message. The ids decide: one that was started before is left as it is. */
export function makeStartNotices({ workflows }: Pick<World, 'workflows'>): WatchActivities['startNotices'] {
  return async (notices) => {
    for (const notice of notices) await workflows.startNotice(notice);
  };
}
