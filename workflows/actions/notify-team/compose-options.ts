import type { ActivityOptions } from '@temporalio/workflow';
import { DAY_MS } from '../../limits.js';
import { activityOptions } from '../activity-options.js';

/** How finding the recipients and writing the message is tried: for a day, such as while the configuration cannot be read. */
export function composeOptions(plan: Parameters<typeof activityOptions>[0]): ActivityOptions {
  return {
    ...activityOptions(plan, 'find the recipients and write the message', 'messages'),
    scheduleToCloseTimeout: DAY_MS,
  };
}
