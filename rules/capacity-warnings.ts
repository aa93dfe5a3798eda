import type { Problem } from '#contract/text/problem.js';
import type { Ruleset } from '#contract/ruleset.js';
import { actionsThatMayRun } from './actions-that-may-run.js';
import type { KnownNames } from './known-names.js';

/** Rules that want capacity where nothing can provide it: the action is skipped each time, which is easily overlooked. */
export function capacityWarnings(ruleset: Ruleset, { hasBridge }: Pick<KnownNames, 'hasBridge'>): Problem[] {
  if (hasBridge) return [];
  const message = 'mesh.yaml has no bridge: this action is always skipped';
  const hint = 'set bridge in mesh.yaml; until then it is a safe no-op';
  return actionsThatMayRun(ruleset, 'warm_remote_capacity').map(({ at }) => ({ path: at(), message, hint }));
}
