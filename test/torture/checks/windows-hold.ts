import type { Evidence } from '../evidence/evidence.js';
import { cooldownKeyOf, type Firing, firingsIn, likenessOf } from '../evidence/firings.js';
import { grouped } from '../evidence/grouped.js';
import { anyVersion, rulesThen } from './rules-then.js';
import { at, type Check, type Found } from './check.js';

export const cooldownsHold: Check = {
  name: 'c: no two firings of a rule are closer together than its cooldown, unless it was re-armed between',
  run(evidence) {
    const keyOf = (firing: Firing) => {
      const rule = anyVersion(evidence, firing.tenant, firing.rule);
      return rule && firing.event ? [cooldownKeyOf(rule, firing.event)] : [];
    };
    return tooClose(evidence, keyOf, (firing) => {
      if (firing.cooldownUntilAt !== undefined) return firing.cooldownUntilAt;
      return shortest(evidence, firing, ({ cooldownMs }) => cooldownMs);
    });
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

/** Without an exact time of the first one, nothing can be said of what comes soon after it. */
function shortest(
  evidence: Evidence,
  firing: Firing,
  windowOf: (rule: { cooldownMs: number; dedupWindowMs: number }) => number,
) {
  const then = rulesThen(evidence, firing.tenant, firing.rule, firing.at);
  return firing.isAtExact && then.length > 0 ? firing.at + Math.min(...then.map(windowOf)) : undefined;
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
      if (second.at >= untilAt || wasRearmed(evidence, first, second)) return;
      found.violations.push(
        `${first.tenant} ${first.rule}: ${first.eventId} fired at ${at(first.at)} and armed a window until ${at(untilAt)}, ` +
          `${second.eventId} fired at ${at(second.at)}, ${untilAt - second.at} ms too early`,
      );
    });
  }
  return found;
}

/** Re-arms and events are handled in the order in which the server took them. */
function wasRearmed({ arrivals }: Evidence, first: Firing, second: Firing): boolean {
  return arrivals.some(
    ({ tenant, rearm, order }) =>
      rearm !== undefined &&
      tenant === first.tenant &&
      (rearm.rule === undefined || rearm.rule === first.rule) &&
      order > (first.order ?? 0) &&
      order < (second.order ?? Infinity),
  );
}
