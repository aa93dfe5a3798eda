import { visible } from '#contract/text/plain-text.js';
import type { SkipCode } from '#contract/verdict.js';
import type { RuleCounters, WatchStatus } from '#contract/watch.js';
import { removedRules } from '../../known-rules.js';
import type { Screen } from '../terminal/screen.js';
import { type Cell, renderTable } from '../terminal/table.js';
import { momentCell } from '../terminal/times.js';

/** Rule by rule: fired, last fired, suppressed by code, cooling until. Also those that were never hit. */
export function renderRuleTable(status: WatchStatus, known: string[], now: number, screen: Screen): string[] {
  const removed = removedRules(status, known);
  const rules = known.filter((rule) => !removed.includes(rule) || hasLeftTraces(status, rule, now));
  if (rules.length === 0) return [];
  const { paint } = screen;
  const rows = rules.flatMap((rule): Cell[][] => {
    const { fired, skipped, lastFiredAt } = countersOf(status, rule);
    const [cooling, ...more] = coolingOf(status, rule, now).map((cell): Cell => ({ ...cell, paint: paint.yellow }));
    const wasHit = fired > 0 || Object.keys(skipped).length > 0;
    const name = wasHit && !removed.includes(rule) ? rule : { text: rule, paint: paint.dim };
    const last = lastFiredAt === undefined ? (wasHit ? 'never' : 'never hit') : momentCell(lastFiredAt, now);
    return [
      [name, String(fired), last, describeCounts(skipped) || '-', cooling ?? '-'],
      ...more.map((window): Cell[] => ['', '', '', '', window]),
    ];
  });
  const table = renderTable(
    [
      { title: 'RULE', min: 14, keep: 2 },
      { title: 'FIRED', align: 'right' },
      { title: 'LAST FIRED', min: 11 },
      { title: 'SUPPRESSED', min: 12, keep: 1, maxLines: 3 },
      { title: 'COOLING UNTIL', min: 13, maxLines: 3 },
    ],
    rows,
    screen,
  );
  const gone = removed.filter((rule) => rules.includes(rule)).map(visible);
  return gone.length === 0 ? [table] : [table, paint.dim(`Not in the rules any more: ${gone.join(', ')}`)];
}

/** What it did still counts, and what cools down would do so again if it came back. */
function hasLeftTraces(status: WatchStatus, rule: string, now: number): boolean {
  const { fired, skipped } = countersOf(status, rule);
  return fired > 0 || Object.keys(skipped).length > 0 || coolingOf(status, rule, now).length > 0;
}

/** A rule may be named like something that every object has. */
function countersOf({ counters: { rules } }: WatchStatus, rule: string): RuleCounters {
  return (Object.hasOwn(rules, rule) ? rules[rule] : undefined) ?? { fired: 0, skipped: {} };
}

/** With `cooldownBy` a rule cools down once per label, such as per session: those nearest to their end are named. */
function coolingOf({ guards: { cooldowns } }: WatchStatus, rule: string, now: number) {
  const live = cooldowns.filter((window) => window.rule === rule && window.untilAt > now);
  const named = live.slice(0, SHOWN_WINDOWS).map(({ untilAt, label = '' }) => {
    return momentCell(untilAt, now, (when) => `${when} ${label}`.trimEnd());
  });
  const rest = live.slice(SHOWN_WINDOWS);
  const last = rest.at(-1);
  if (!last) return named;
  return [...named, momentCell(last.untilAt, now, (when) => `and ${rest.length} more, the last ${when}`)];
}

const SHOWN_WINDOWS = 3;

export function describeCounts(counts: Partial<Record<SkipCode, number>>): string {
  return Object.entries(counts)
    .map(([code, count]) => `${count} ${code}`)
    .join(', ');
}
