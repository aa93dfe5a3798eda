import type { ActionPlan } from '#contract/actions/index.js';
import type { ActionRequest } from '#contract/activities.js';
import { isDone } from '#contract/is-done.js';
import type { ActionResult } from '#contract/remediation.js';

/** In a retry, actions that come later in the rule were done before this one: by the run that is retried. */
export function doneAfter({
  plan,
  remediation: { actions, earlier = [] },
}: Pick<ActionRequest<ActionPlan>, 'plan' | 'remediation'>): ActionResult[] {
  const at = actions.findIndex(({ name }) => name === plan.name);
  const later = actions.slice(at + 1);
  return later.flatMap(({ name }) => earlier.find((one) => one.action === name && isDone(one)) ?? []);
}
