import type { LoggedVerdict } from '#contract/views/verdicts.js';
import type { WatchStatus } from '#contract/watch.js';

/** Every rule a watch can name: those it counts or remembers windows of, and those that looked away from a late event. */
export function knownRules({ counters, guards }: WatchStatus, log: readonly LoggedVerdict[]): string[] {
  return [
    ...new Set([
      ...Object.keys(counters.rules),
      ...guards.cooldowns.map(({ rule }) => rule),
      ...guards.dedups.map(({ rule }) => rule),
      ...log.flatMap(({ rule, missed = [] }) => [
        ...(rule === undefined ? [] : [rule]),
        ...missed.map((one) => one.rule),
      ]),
    ]),
  ];
}

/** Of the rules that a watch can name: those that are not in the rules in use. None when it does not know all of these. */
export function removedRules({ ruleset }: WatchStatus, known: readonly string[]): string[] {
  if (!ruleset?.ruleIds) return [];
  const inUse = new Set(ruleset.ruleIds);
  return known.filter((rule) => !inUse.has(rule));
}
