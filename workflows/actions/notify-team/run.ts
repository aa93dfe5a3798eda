import { type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import type { ActionActivities } from '#contract/activities.js';
import type { NotifyPlan } from '#contract/actions/notify-team/schema.js';
import type { ActionRun, Outcome } from '../action-run.js';
import { deliverAll } from './deliver-all.js';
import { outcomeOfDeliveries, outcomeOfNone } from './outcome-of-deliveries.js';
import { DAY_MS } from '../../limits.js';
import { activityOptions } from '../activity-options.js';

/** Writes the message once, so that everyone gets the same, and delivers it to each on its own. */
export async function runNotifyTeam({ plan, earlier, request, show }: ActionRun<NotifyPlan>): Promise<Outcome> {
  const { composeNotification } = proxyActivities<Pick<ActionActivities, 'composeNotification'>>(composeOptions(plan));
  const delivered = earlier?.deliveries?.filter(({ status }) => status === 'delivered') ?? [];
  const draft = await composeNotification(request());
  if (draft.status === 'skipped') return outcomeOfNone(draft, delivered);
  return outcomeOfDeliveries(await deliverAll(draft, plan, delivered, show), draft.note);
}

/** How finding the recipients and writing the message is tried: for a day, such as while the configuration cannot be read. */
export function composeOptions(plan: Parameters<typeof activityOptions>[0]): ActivityOptions {
  return {
    ...activityOptions(plan, 'find the recipients and write the message', 'messages'),
    scheduleToCloseTimeout: DAY_MS,
  };
}
