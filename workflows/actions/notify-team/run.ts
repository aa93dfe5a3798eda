import { proxyActivities } from '@temporalio/workflow';
import type { ActionActivities } from '../../../contract/activities.js';
import type { NotifyPlan } from '../../../contract/actions/notify-team/schema.js';
import type { ActionRun, Outcome } from '../action-run.js';
import { activityOptions } from '../activity-options.js';
import { deliverAll } from './deliver-all.js';
import { outcomeOfDeliveries, outcomeOfNone } from './outcome-of-deliveries.js';

/** How long writing the message is tried, such as while the configuration cannot be read. */
const COMPOSE_WITHIN_MS = 86_400_000;

/** Writes the message once, so that everyone gets the same, and delivers it to each on its own. */
export async function runNotifyTeam({ plan, earlier, request, show }: ActionRun<NotifyPlan>): Promise<Outcome> {
  const { composeNotification } = proxyActivities<Pick<ActionActivities, 'composeNotification'>>({
    ...activityOptions(plan, 'find the recipients and write the message'),
    scheduleToCloseTimeout: COMPOSE_WITHIN_MS,
  });
  const delivered = earlier?.deliveries?.filter(({ status }) => status === 'delivered') ?? [];
  const draft = await composeNotification(request());
  if (draft.status === 'skipped') return outcomeOfNone(draft, delivered);
  return outcomeOfDeliveries(await deliverAll(draft, plan, delivered, show), draft.note);
}
