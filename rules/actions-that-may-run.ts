import { formatPath } from '#contract/text/problem.js';
import type { Rule, Ruleset } from '#contract/ruleset.js';

type Action = Rule['actions'][number];

/** The actions of one type, each with the way to say where in the ruleset it stands. */
export function actionsThatMayRun<T extends Action['type']>(
  ruleset: Ruleset,
  type: T,
): { action: Extract<Action, { type: T }>; at: (...path: PropertyKey[]) => string }[] {
  const isMeant = (action: Action): action is Extract<Action, { type: T }> => action.type === type && action.enabled;
  return ruleset.rules.flatMap((rule, index) =>
    (mayFire(rule) ? rule.actions : []).flatMap((action, place) => {
      const at = (...path: PropertyKey[]) => formatPath(['rules', index, 'actions', place, ...path]);
      return isMeant(action) ? [{ action, at }] : [];
    }),
  );
}

/** Nobody need be warned of what a rule that is off would do. */
function mayFire({ enabled, mode }: Rule): boolean {
  return enabled && mode !== 'off';
}
