import type { SkipCode } from '../../../contract/verdict.js';
import type { RuleCounters, WatchStatus } from '../../../contract/watch.js';
import type { Screen } from '../terminal/screen.js';
import { type Cell, renderTable } from '../terminal/table.js';
import { moment } from '../terminal/times.js';

/** Rule by rule: fired, last fired, suppressed by code, cooling until. Also those that were never hit. */
export function renderRuleTable(status: WatchStatus, rules: string[], now: number, screen: Screen): string {
  if (rules.length === 0) return '';
  const { paint } = screen;
  const rows = rules.flatMap((rule): Cell[][] => {
    const { fired, skipped, lastFiredAt } = countersOf(status, rule);
    const [cooling = '-', ...more] = coolingOf(status, rule, now);
    const wasHit = fired > 0 || Object.keys(skipped).length > 0;
    const name = wasHit ? rule : { text: rule, paint: paint.dim };
    const last = lastFiredAt === undefined ? (wasHit ? 'never' : 'never hit') : moment(lastFiredAt, now);
    const until = cooling === '-' ? cooling : { text: cooling, paint: paint.yellow };
    return [
      [name, String(fired), last, describeCounts(skipped) || '-', until],
      ...more.map((text): Cell[] => ['', '', '', '', { text, paint: paint.yellow }]),
    ];
  });
  return renderTable(
    [
      { title: 'RULE', min: 14 },
      { title: 'FIRED', align: 'right' },
      { title: 'LAST FIRED', min: 11 },
      { title: 'SUPPRESSED', min: 12 },
      { title: 'COOLING UNTIL', min: 13 },
    ],
    rows,
    screen,
  );
}

/** A rule may be named like something that every object has. */
function countersOf({ counters: { rules } }: WatchStatus, rule: string): RuleCounters {
  return (Object.hasOwn(rules, rule) ? rules[rule] : undefined) ?? { fired: 0, skipped: {} };
}

/** With `cooldownBy` a rule cools down once per label, such as per session: those nearest to their end are named. */
function coolingOf({ guards: { cooldowns } }: WatchStatus, rule: string, now: number): string[] {
  const live = cooldowns.filter((window) => window.rule === rule && window.untilAt > now);
  const named = live.slice(0, SHOWN_WINDOWS).map(({ untilAt, label }) => {
    return label === undefined ? moment(untilAt, now) : `${moment(untilAt, now)} ${label}`;
  });
  const rest = live.slice(SHOWN_WINDOWS);
  const last = rest.at(-1);
  return last ? [...named, `and ${rest.length} more, the last ${moment(last.untilAt, now)}`] : named;
}

const SHOWN_WINDOWS = 3;

export function describeCounts(counts: Partial<Record<SkipCode, number>>): string {
  return Object.entries(counts)
    .map(([code, count]) => `${count} ${code}`)
    .join(', ');
}
