import { proxyActivities } from '@temporalio/workflow';
import type { ActionActivities } from '#contract/activities.js';
import type { NotifyPlan } from '#contract/actions/notify-team/schema.js';
import type { ActionRun, Outcome } from '../action-run.js';
import { composeOptions } from './compose-options.js';
import { deliverAll } from './deliver-all.js';
import { outcomeOfDeliveries, outcomeOfNone } from './outcome-of-deliveries.js';

/** Writes the message once, so that everyone gets the same, and delivers it to each on its own. */
export async function runNotifyTeam({ plan, earlier, request, show }: ActionRun<NotifyPlan>): Promise<Outcome> {
  const { composeNotification } = proxyActivities<Pick<ActionActivities, 'composeNotification'>>(composeOptions(plan));
  const delivered = earlier?.deliveries?.filter(({ status }) => status === 'delivered') ?? [];
  const draft = await composeNotification(request());
  if (draft.status === 'skipped') return outcomeOfNone(draft, delivered);
  return outcomeOfDeliveries(await deliverAll(draft, plan, delivered, show), draft.note);
}
