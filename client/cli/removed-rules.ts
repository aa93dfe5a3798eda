import type { WatchStatus } from '#contract/watch.js';

/** Of the rules that a watch can name: those that are not in the rules in use. None when it does not know all of these. */
export function removedRules({ ruleset }: WatchStatus, known: readonly string[]): string[] {
  if (!ruleset?.ruleIds) return [];
  const inUse = new Set(ruleset.ruleIds);
  return known.filter((rule) => !inUse.has(rule));
}
