import type { ActionRequest } from '#contract/activities.js';
import type { ActionPlan } from '#contract/actions/index.js';
import type { StartedAgent } from '#contract/remediation.js';

/** The agent that was started last by the actions before this one, if any was: what `${AGENT_…}` of a template tell of. */
export function lastAgentBefore({
  plan,
  remediation,
  soFar,
  pending,
}: ActionRequest<ActionPlan>): StartedAgent | undefined {
  const names = remediation.actions.map(({ name }) => name);
  const before = names.slice(0, names.indexOf(plan.name)).reverse();
  const known = [...soFar, ...pending];
  return before.map((name) => known.find(({ action }) => action === name)?.agent).find((agent) => agent !== undefined);
}
