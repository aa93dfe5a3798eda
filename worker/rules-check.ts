import type { RulesetStore } from '#config/ruleset-store.js';

/** Whether the rules of every tenant can be used just as the files say now. */
export async function areRulesValid(rulesets: RulesetStore, tenants: readonly string[]): Promise<boolean> {
  const found = await Promise.all(tenants.map((tenant) => rulesets.get(tenant)));
  return found.every(({ available, problems }) => available && problems.length === 0);
}
