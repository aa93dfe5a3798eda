import type { MeshEvent } from '../contract/event.js';
import { actionName, effectKey, remediationId } from '../contract/ids.js';
import type { Quiet, RemediationInput } from '../contract/remediation.js';
import { type Action, type ActionPlan, defaultsOf } from '../contract/actions/index.js';
import type { Ruleset } from '../contract/ruleset.js';

export interface FiredRule {
  tenant: string;
  rule: string;
  /** Names of the actions that fired, in any order. */
  actions: string[];
  event: MeshEvent;
  firedAt: number;
  rulesetHash: string;
  quiet?: Quiet;
  path?: string[];
}

/** Fixes what a remediation will do. Nothing when the rule has left the ruleset in the meantime. */
export function makePlan(ruleset: Ruleset, fired: FiredRule): RemediationInput | undefined {
  const rule = ruleset.rules.find(({ id }) => id === fired.rule);
  if (!rule) return undefined;
  const id = remediationId(fired.tenant, fired.rule, fired.event.id);
  const names = rule.actions.map(actionName);
  const actions = rule.actions
    .map((action, index) => planAction(action, names[index] ?? '', names[index - 1], id))
    .filter(({ name }) => fired.actions.includes(name));
  return {
    id,
    rule: fired.rule,
    rulesetHash: fired.rulesetHash,
    firedAt: fired.firedAt,
    event: fired.event,
    actions,
    ...(fired.quiet && { quiet: fired.quiet }),
    ...(fired.path && fired.path.length > 0 && { path: fired.path }),
  };
}

function planAction(action: Action, name: string, before: string | undefined, remediation: string): ActionPlan {
  const { id: _id, enabled: _enabled, dedupWindowMs: _dedupWindowMs, timeoutMs, retry, ...asked } = action;
  const defaults = defaultsOf(action.type);
  // Whichever of the two a rule gives holds, and the default of the other gives way.
  const initialIntervalMs =
    retry?.initialIntervalMs ?? Math.min(defaults.retry.initialIntervalMs, retry?.maxIntervalMs ?? Infinity);
  return {
    ...asked,
    name,
    ...(action.onlyIf && before !== undefined && { after: before }),
    effectKey: effectKey(remediation, name),
    timeoutMs: timeoutMs ?? defaults.timeoutMs,
    retry: {
      maxAttempts: retry?.maxAttempts ?? defaults.retry.maxAttempts,
      initialIntervalMs,
      // Temporal refuses a maximum below the first interval.
      maxIntervalMs: Math.max(retry?.maxIntervalMs ?? defaults.retry.maxIntervalMs, initialIntervalMs),
    },
  };
}
