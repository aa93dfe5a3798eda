import type { ActionPlan } from '#contract/actions/index.js';
import type { ActionRequest } from '#contract/activities.js';
import { doneAfter } from './done-after.js';

/** The actions that are still to be started, or refused by their own `onlyIf`, after this one. */
export function toComeAfter(request: Pick<ActionRequest<ActionPlan>, 'plan' | 'remediation'>): ActionPlan[] {
  const { plan, remediation } = request;
  const at = remediation.actions.findIndex(({ name }) => name === plan.name);
  const done = doneAfter(request).map(({ action }) => action);
  return remediation.actions.slice(at + 1).filter(({ name, refused }) => refused === undefined && !done.includes(name));
}
