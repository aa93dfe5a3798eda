import { quoted } from '#contract/text/words.js';
import type { WatchStatus } from '#contract/watch.js';
import type { Screen } from '../terminal/screen.js';
import { type Cell, renderTable } from '../terminal/table.js';
import { relative } from '../terminal/times.js';

type Alert = NonNullable<WatchStatus['alerts']>[number];

const SHOWN_ALERTS = 5;

/** What receivers hold open, the newest first: at whom, since when, for which rule, and what ends it. */
export function renderOpenAlerts({ alerts = [] }: WatchStatus, now: number, screen: Screen): string[] {
  if (alerts.length === 0) return [];
  const { paint } = screen;
  const rows = alerts
    .slice(-SHOWN_ALERTS)
    .reverse()
    .map((one): Cell[] => [
      relative(one.openedAt, now),
      one.rule,
      `${one.team}/${one.channel}`,
      { text: standingOf(one), ...(one.worksAgain && { paint: paint.green }) },
    ]);
  const table = renderTable(
    [
      { title: 'OPEN ALERTS' },
      { title: 'RULE', min: 14, keep: 2, maxLines: 2 },
      { title: 'AT', min: 10, keep: 1, maxLines: 2 },
      { title: 'HOW LONG', min: 14, maxLines: 4 },
    ],
    rows,
    screen,
  );
  const more = alerts.length - rows.length;
  return more > 0 ? [table, paint.dim(`… and ${more} more, see --json`)] : [table];
}

/** In the words of the current details of the watch. */
function standingOf({ task, tool, worksAgain, resolvedWhen }: Alert): string {
  if (worksAgain) return resolvedWhen === undefined ? 'works again' : `works again, resolved when ${resolvedWhen}`;
  return `until ${task === undefined ? `tool ${quoted(tool ?? '')}` : `task ${quoted(task)}`} succeeds`;
}
