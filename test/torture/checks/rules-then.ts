import type { Evidence } from '../evidence/evidence.js';
import type { WrittenRule } from '../site/rules-on-disk.js';

/** A worker may have read the file that long before the verdict: it may have been frozen in between, or slow. */
const READ_BEFORE_MS = 20_000;

/** The versions of a rule by which an event may have been judged at that time. */
export function rulesThen({ rules }: Evidence, tenant: string, rule: string, at: number): WrittenRule[] {
  const versions = rules.filter((version) => version.tenant === tenant);
  return versions
    .filter(({ fromAt }, index) => fromAt <= at && (versions[index + 1]?.fromAt ?? Infinity) >= at - READ_BEFORE_MS)
    .flatMap((version) => version.rules.find(({ id }) => id === rule) ?? []);
}

/** What its firings are told apart by, which no edit changes. */
export function anyVersion({ rules }: Evidence, tenant: string, rule: string): WrittenRule | undefined {
  for (const version of rules) {
    const found = version.tenant === tenant ? version.rules.find(({ id }) => id === rule) : undefined;
    if (found) return found;
  }
  return undefined;
}
