import type { MeshEvent } from '#contract/event.js';
import { actionName, effectKey, remediationId } from '#contract/ids.js';
import type { Refusal } from '#contract/activities.js';
import type { Quiet, RemediationInput, Repeats } from '#contract/remediation.js';
import { type Action, type ActionPlan, defaultsOf } from '#contract/actions/index.js';
import type { Rule, Ruleset } from '#contract/ruleset.js';
import { ruleFacts } from './match.js';

export interface FiredRule {
  tenant: string;
  rule: string;
  /** Names of the actions that fired, in any order. */
  actions: string[];
  refused?: readonly Refusal[];
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
  const told = [...fired.actions, ...(fired.refused ?? []).map(({ action }) => action)];
  const names = rule.actions.map(actionName);
  const actions = rule.actions
    .map((action, index) => {
      const plan = planAction(action, names[index] ?? '', actionBefore(rule.actions.slice(0, index), told), id);
      const refusal = fired.refused?.find((one) => one.action === plan.name);
      return refusal ? { ...plan, refused: refusal.reason } : plan;
    })
    .filter(({ name }) => told.includes(name));
  const repeats = repeatsOf(rule, ruleset, fired);
  return {
    id,
    rule: fired.rule,
    rulesetHash: fired.rulesetHash,
    firedAt: fired.firedAt,
    event: fired.event,
    actions,
    ...(fired.quiet && { quiet: fired.quiet }),
    ...(repeats && { repeats }),
    ...(fired.path && fired.path.length > 0 && { path: fired.path }),
  };
}

/** The windows that the firing has armed. */
function repeatsOf(rule: Rule, ruleset: Ruleset, { actions, firedAt }: FiredRule): Repeats | undefined {
  const until = ruleFacts(rule, ruleset).actions.flatMap(({ name, dedupWindowMs }) =>
    actions.includes(name) && dedupWindowMs > 0 ? [{ action: name, untilAt: firedAt + dedupWindowMs }] : [],
  );
  if (until.length === 0) return undefined;
  return { ...(rule.dedupBy && { by: rule.dedupBy }), until };
}

/**
 * The action that one with `onlyIf` comes after. An action that is switched off does not count. One that hangs on
 * another itself and did not fire, such as for its dedup window, is as little needed as if that other had ended otherwise.
 */
function actionBefore(before: Action[], told: readonly string[]): string | undefined {
  return before.map(actionName).findLast((name, index) => {
    const action = before[index];
    return action?.enabled !== false && (action?.onlyIf === undefined || told.includes(name));
  });
}

function planAction(action: Action, name: string, before: string | undefined, remediation: string): ActionPlan {
  const { id: _id, enabled: _enabled, dedupWindowMs: _dedupWindowMs, timeoutMs, retry, ...asked } = action;
  const defaults = defaultsOf(action.type);
  // What the rule gives holds. The default of the other one gives way.
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
