import type { Evidence } from '../evidence/evidence.js';
import { cooldownKeyOf, type Firing, firingsIn, likenessOf } from '../evidence/firings.js';
import { grouped } from '../evidence/grouped.js';
import { anyVersion, rulesThen } from './rules-then.js';
import { at, type Check, type Found } from './check.js';
import { wasRearmed } from './was-rearmed.js';

export const cooldownsHold: Check = {
  name: 'c: no two firings of a rule are closer together than its cooldown, unless it was re-armed between',
  run(evidence) {
    const keyOf = (firing: Firing) => {
      const rule = anyVersion(evidence, firing.tenant, firing.rule);
      return rule && firing.event ? [cooldownKeyOf(rule, firing.event)] : [];
    };
    const found = tooClose(evidence, keyOf, (firing) => {
      const [only, ...others] = possibleEnds(evidence, firing);
      // What the watch has told its remediation counts only where several versions of the rule make it hard to say.
      if (firing.cooldownUntilAt !== undefined && others.length > 0) return firing.cooldownUntilAt;
      return only;
    });
    const told = firingsIn(evidence).filter(({ cooldownUntilAt }) => cooldownUntilAt !== undefined);
    const wrong = told.filter((firing) => !possibleEnds(evidence, firing).includes(firing.cooldownUntilAt ?? 0));
    return {
      looked: found.looked + told.length,
      violations: [
        ...found.violations,
        ...wrong.map((firing) => {
          const { tenant, rule, eventId, cooldownUntilAt = 0 } = firing;
          const ends = possibleEnds(evidence, firing).map(at).join(' or ') || 'nothing: there was no such rule';
          return `${tenant} ${rule}: ${eventId} fired at ${at(firing.at)} and armed a cooldown until ${at(cooldownUntilAt)}, expected ${ends}`;
        }),
      ],
    };
  },
};

export const dedupsHold: Check = {
  name: 'c: no action runs again for an equal event within its dedup window, unless it was re-armed between',
  run(evidence) {
    const keysOf = (firing: Firing) => {
      const rule = anyVersion(evidence, firing.tenant, firing.rule);
      const { event } = firing;
      return rule && event ? firing.actions.map((action) => `${firing.rule} ${action} ${likenessOf(rule, event)}`) : [];
    };
    return tooClose(evidence, keysOf, (firing) => shortest(evidence, firing, ({ dedupWindowMs }) => dedupWindowMs));
  },
};

/** When the cooldown of a firing may end, by each version of its rule that may have been in force, the first one first. */
function possibleEnds(evidence: Evidence, { tenant, rule, at: firedAt }: Firing): number[] {
  const ends = rulesThen(evidence, tenant, rule, firedAt).map(({ cooldownMs }) => firedAt + cooldownMs);
  return [...new Set(ends)].sort((a, b) => a - b);
}

/** Where the rule was in none of the versions that may have been in force, nothing can be said. */
function shortest(
  evidence: Evidence,
  firing: Firing,
  windowOf: (rule: { cooldownMs: number; dedupWindowMs: number }) => number,
) {
  const then = rulesThen(evidence, firing.tenant, firing.rule, firing.at);
  return then.length > 0 ? firing.at + Math.min(...then.map(windowOf)) : undefined;
}

function tooClose(
  evidence: Evidence,
  keysOf: (firing: Firing) => string[],
  untilOf: (firing: Firing) => number | undefined,
): Found {
  const keyed = firingsIn(evidence).flatMap((firing) => keysOf(firing).map((key) => ({ firing, key })));
  const found: Found = { looked: 0, violations: [] };
  for (const one of grouped(keyed, ({ key, firing }) => `${firing.tenant} ${key}`).values()) {
    const firings = one.map(({ firing }) => firing).sort((a, b) => (a.order ?? a.at) - (b.order ?? b.at));
    firings.slice(1).forEach((second, index) => {
      const first = firings[index];
      const untilAt = first && untilOf(first);
      if (!first || untilAt === undefined) return;
      found.looked += 1;
      if (second.at >= untilAt || wasRearmed(evidence, first, second.order ?? Infinity)) return;
      found.violations.push(
        `${first.tenant} ${first.rule}: ${first.eventId} fired at ${at(first.at)} and armed a window until ${at(untilAt)}, ` +
          `${second.eventId} fired at ${at(second.at)}, ${untilAt - second.at} ms too early`,
      );
    });
  }
  return found;
}
