import type { MeshEvent } from '../contract/event.js';
import { actionName, effectKey, remediationId } from '../contract/ids.js';
import type { ActionPlan, ActionType, RemediationInput, RetryPlan } from '../contract/remediation.js';
import type { Action, Ruleset } from '../contract/ruleset.js';

/** How each kind of action is tried, unless its rule says otherwise. */
export const ACTION_DEFAULTS: Record<ActionType, { timeoutMs: number; retry: RetryPlan }> = {
  // An agent that failed is expensive to run again, so few attempts, well apart.
  spawn_fallback_agent: {
    timeoutMs: 600_000,
    retry: { maxAttempts: 3, initialIntervalMs: 5_000, maxIntervalMs: 60_000 },
  },
  // A mail server that is down for an hour must not cost a message: about an hour and a half in all.
  notify_team: { timeoutMs: 60_000, retry: { maxAttempts: 25, initialIntervalMs: 1_000, maxIntervalMs: 300_000 } },
  warm_remote_capacity: {
    timeoutMs: 30_000,
    retry: { maxAttempts: 5, initialIntervalMs: 1_000, maxIntervalMs: 30_000 },
  },
};

export interface FiredRule {
  tenant: string;
  rule: string;
  /** Names of the actions that fired, in any order. */
  actions: string[];
  event: MeshEvent;
  firedAt: number;
  rulesetHash: string;
}

/** Fixes what a remediation will do. Nothing when the rule has left the ruleset in the meantime. */
export function makePlan(ruleset: Ruleset, fired: FiredRule): RemediationInput | undefined {
  const rule = ruleset.rules.find(({ id }) => id === fired.rule);
  if (!rule) return undefined;
  const id = remediationId(fired.tenant, fired.rule, fired.event.id);
  const actions = rule.actions
    .map((action, index) => planAction(action, actionName(action, index), id))
    .filter(({ name }) => fired.actions.includes(name));
  return {
    id,
    rule: fired.rule,
    rulesetHash: fired.rulesetHash,
    firedAt: fired.firedAt,
    event: fired.event,
    actions,
  };
}

function planAction(action: Action, name: string, remediation: string): ActionPlan {
  const { id: _id, enabled: _enabled, dedupWindowMs: _dedupWindowMs, timeoutMs, retry, ...asked } = action;
  const defaults = ACTION_DEFAULTS[action.type];
  // Whichever of the two a rule gives holds, and the default of the other gives way.
  const initialIntervalMs =
    retry?.initialIntervalMs ?? Math.min(defaults.retry.initialIntervalMs, retry?.maxIntervalMs ?? Infinity);
  return {
    ...asked,
    name,
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
