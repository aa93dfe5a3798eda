import { quoted } from '#contract/text/words.js';
import type { WatchStatus } from '#contract/watch.js';
import type { Screen } from '../terminal/screen.js';
import { type Cell, renderTable } from '../terminal/table.js';
import { relative } from '../terminal/times.js';

type Incident = NonNullable<WatchStatus['incidents']>[number];

const SHOWN_ALERTS = 5;

/** What receivers hold open, the newest first: at whom, since when, for which rule, and what ends it. */
export function renderOpenAlerts({ incidents = [] }: WatchStatus, now: number, screen: Screen): string[] {
  if (incidents.length === 0) return [];
  const { paint } = screen;
  const rows = incidents
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
  const more = incidents.length - rows.length;
  return more > 0 ? [table, paint.dim(`… and ${more} more, see --json`)] : [table];
}

/** In the words of the current details of the watch. */
function standingOf({ resolveOn = [], task, tool, worksAgain, resolvedWhen }: Incident): string {
  if (worksAgain) return resolvedWhen === undefined ? 'works again' : `works again, resolved when ${resolvedWhen}`;
  const names = { task, tool };
  const subjects = resolveOn.flatMap((what) => {
    const name = names[what];
    return name === undefined ? [] : [`${what} ${quoted(name)}`];
  });
  return `until ${subjects.join(' or ') || 'it'} succeeds`;
}
