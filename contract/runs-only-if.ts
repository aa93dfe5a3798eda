import type { ActionPlan } from './actions/index.js';
import type { Condition } from './views/story.js';

type Tied = Pick<ActionPlan, 'name' | 'onlyIf' | 'after' | 'refused'>;

export function conditionOf(plan: Tied, actions: readonly Tied[]): Condition | undefined {
  return plan.onlyIf === undefined ? undefined : { wants: plan.onlyIf, of: decidingActions(plan, actions) };
}

/** The same for people: `only if repair or good-news fails`. `shown` is how a name is written. */
export function wordsOfCondition({ wants, of }: Condition, shown = (name: string) => name): string {
  const ends = wants === 'failed' ? 'fails' : 'succeeds';
  const names = of.map(shown);
  if (names.length === 0) return `only if the action before it ${ends}, and there is none`;
  return `only if ${[names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' or ')} ${ends}`;
}

/** Nothing for an action without `onlyIf`. */
export function runsOnlyIf(plan: Tied, actions: readonly Tied[], shown?: (name: string) => string): string | undefined {
  const condition = conditionOf(plan, actions);
  return condition && wordsOfCondition(condition, shown);
}

/**
 * The actions that decide whether one with `onlyIf` runs, in the order of the rule: it runs when any of them ends as it wants.
 * A remediation looks past an action that its own `onlyIf` made needless. If that one wants the opposite, it is needless exactly
 * when an action before it ended as this one wants, so those count too. If it wants the same, there is no such end to find.
 */
export function decidingActions(plan: Tied, actions: readonly Tied[]): string[] {
  if (plan.onlyIf === undefined || plan.after === undefined) return [];
  const before = actions.find(({ name }) => name === plan.after);
  if (before?.onlyIf === undefined) return [plan.after];
  const further = () => decidingActions({ ...plan, after: before.after }, actions);
  // An action that a limit has refused counts as failed if it is needed, and the actions before it decide that.
  if (before.refused !== undefined) return further();
  return before.onlyIf === plan.onlyIf ? [plan.after] : [...further(), plan.after];
}
