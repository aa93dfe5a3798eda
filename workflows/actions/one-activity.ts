import { proxyActivities } from '@temporalio/workflow';
import type { ActionPlan } from '#contract/actions/index.js';
import type { ActionActivities, ActionReport, ActionRequest } from '#contract/activities.js';
import type { Runner } from './action-run.js';
import { activityOptions } from './activity-options.js';

/** An action that is one activity: most are. `doing` says what it does, in the Temporal UI. */
export function oneActivity<Plan extends ActionPlan>(activity: ActivityFor<Plan>, doing: string): Runner<Plan> {
  return ({ plan, request }) => {
    const call: ActivityOf<Plan> | undefined = proxyActivities(activityOptions(plan, doing))[activity];
    if (!call) throw new Error(`there is no activity ${activity}`);
    return call(request());
  };
}

/** The activities that take a request for such a plan, and answer with a report. */
type ActivityFor<Plan extends ActionPlan> = {
  [Name in keyof ActionActivities]: ActionActivities[Name] extends ActivityOf<Plan> ? Name : never;
}[keyof ActionActivities];

type ActivityOf<Plan extends ActionPlan> = (request: ActionRequest<Plan>) => Promise<ActionReport>;
