import type { MeshEvent } from '#contract/event.js';
import type { Arrival, Evidence } from '../evidence/evidence.js';
import { cooldownKeyOf, type Firing, firingsIn, firstArrivals, likenessOf } from '../evidence/firings.js';
import type { VerdictRow } from '../evidence/gathered.js';
import { grouped } from '../evidence/grouped.js';
import type { WrittenRule } from '../site/rules-on-disk.js';
import { at, type Check } from './check.js';
import { anyVersion, rulesThen } from './rules-then.js';
import { wasRearmed } from './was-rearmed.js';

export const skipsHaveAWindow: Check = {
  name: 'd: whatever was suppressed by a window lies in one that a known firing has armed',
  run(evidence) {
    const firings = windowsArmed(evidence);
    const suppressed = suppressedIn(evidence);
    const armedBy = (skip: Suppressed) => firings.get(skip.window) ?? [];
    const orphans = suppressed.filter((skip) => !armedBy(skip).some((firing) => explains(evidence, firing, skip)));
    const mayBeUnseen = unseenOnTrial(evidence);
    const unclear = orphans.filter(mayBeUnseen);
    const remark = `${unclear.length} may lie in windows of rules on trial that fired when nobody looked`;
    return {
      looked: suppressed.length,
      remarks: unclear.length === 0 ? [] : [remark],
      violations: orphans
        .filter((skip) => !unclear.includes(skip))
        .map((skip) =>
          described(
            skip,
            armedBy(skip).findLast((firing) => firing.at <= skip.row.at),
          ),
        ),
    };
  },
};

interface Suppressed {
  row: VerdictRow;
  rule: WrittenRule;
  order: number;
  event: MeshEvent;
  window: string;
}

function suppressedIn(evidence: Evidence): Suppressed[] {
  const arrivals = firstArrivals(evidence);
  return evidence.gathered.rows().flatMap((row) => {
    const { code, action = '' } = row;
    if (code !== 'cooldown' && code !== 'dedup') return [];
    const rule = anyVersion(evidence, row.tenant, row.rule ?? '');
    const arrived = arrivals.get(row.eventId);
    if (!rule || !arrived) return [];
    return [{ row, rule, ...arrived, window: windowOf(row.tenant, rule, arrived.event, code, action) }];
  });
}

/** Firings by each window that they armed, in order of time. */
function windowsArmed(evidence: Evidence): Map<string, Firing[]> {
  const armed = firingsIn(evidence).flatMap((firing) => {
    const { tenant, event, actions } = firing;
    const rule = anyVersion(evidence, tenant, firing.rule);
    if (!rule || !event) return [];
    const windows = actions.map((action) => windowOf(tenant, rule, event, 'dedup', action));
    return [windowOf(tenant, rule, event, 'cooldown', ''), ...windows].map((window) => ({ window, firing }));
  });
  const groups = [...grouped(armed, ({ window }) => window)];
  return new Map(groups.map(([window, ofOne]) => [window, ofOne.map(({ firing }) => firing)]));
}

function windowOf(
  tenant: string,
  rule: WrittenRule,
  event: MeshEvent,
  code: 'cooldown' | 'dedup',
  action: string,
): string {
  if (code === 'cooldown') return JSON.stringify([tenant, code, cooldownKeyOf(rule, event)]);
  return JSON.stringify([tenant, code, rule.id, action, likenessOf(rule, event)]);
}

function explains(evidence: Evidence, firing: Firing, { row, order }: Suppressed): boolean {
  if (firing.eventId === row.eventId || (firing.order ?? 0) > order) return false;
  // Of an event that is in no history nobody can say whether it came before the re-arm.
  if (firing.order !== undefined && wasRearmed(evidence, firing, order)) return false;
  const then = rulesThen(evidence, firing.tenant, firing.rule, firing.at);
  if (row.code === 'dedup') {
    return row.at < firing.at + Math.max(0, ...then.map(({ dedupWindowMs }) => dedupWindowMs));
  }
  return row.at < (firing.cooldownUntilAt ?? firing.at + Math.max(0, ...then.map(({ cooldownMs }) => cooldownMs)));
}

/** A rule on trial leaves nothing behind but verdicts, and of some events nobody has seen those. */
function unseenOnTrial({ arrivals, gathered }: Evidence): (skip: Suppressed) => boolean {
  const isSeen = (event: MeshEvent, rule: WrittenRule) =>
    gathered.of(event.id).some((seen) => seen.rule === rule.id || seen.rule === undefined);
  return ({ row, rule, order, window }) => {
    if (rule.mode !== 'shadow') return false;
    const code = row.code === 'dedup' ? 'dedup' : 'cooldown';
    const isUnseen = ({ tenant, event, order: earlier }: Arrival) =>
      event !== undefined &&
      event.event === rule.trigger.event &&
      earlier < order &&
      windowOf(tenant, rule, event, code, row.action ?? '') === window &&
      !isSeen(event, rule);
    return arrivals.some(isUnseen);
  };
}

function described({ row }: Suppressed, before: Firing | undefined): string {
  const { tenant, eventId, rule, action, code, reason } = row;
  const last = before ? `the last known firing is that of ${before.eventId} at ${at(before.at)}` : 'no firing is known';
  return `${tenant} ${eventId}: ${rule}/${action} ${code} at ${at(row.at)} (${reason}); ${last}`;
}
