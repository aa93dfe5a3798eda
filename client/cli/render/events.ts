import type { RecordedEnding, RecordedEvent } from '#contract/views/events.js';
import type { LoggedVerdict } from '#contract/views/verdicts.js';
import type { Screen } from '../terminal/screen.js';
import { type Cell, renderTable } from '../terminal/table.js';
import { duration, momentCell } from '../terminal/times.js';

/** Events of the record as a table, in the order in which they come. */
export function renderEvents(events: readonly RecordedEvent[], now: number, screen: Screen): string {
  const rows = events.map((one): Cell[] => [
    momentCell(one.at, now),
    one.event,
    [one.tool ?? one.task, one.session].filter((part) => part !== undefined).join(' / ') || '-',
    one.id,
    verdictsInShort(one.verdicts, 'fired', one.endings),
  ]);
  return renderTable(
    [
      { title: 'JUDGED', min: 10 },
      { title: 'EVENT', min: 18, dropFirst: 2 },
      { title: 'TOOL / SESSION', min: 14, dropFirst: 1 },
      { title: 'ID' },
      { title: 'VERDICT', min: 10, keep: 1, maxLines: 4 },
    ],
    rows,
    screen,
  );
}

/** "retry: fired, executed in 1 s; tell-all: cooldown; no-match", as far as it has come. */
export function verdictsInShort(
  verdicts: readonly LoggedVerdict[],
  fired: string,
  endings: readonly RecordedEnding[] = [],
): string {
  const said = new Map<string | undefined, Set<string>>();
  for (const entry of verdicts) {
    const words = said.get(entry.rule) ?? new Set();
    const times = entry.times === undefined ? '' : ` (${entry.times} times)`;
    said.set(entry.rule, words.add(entry.verdict === 'fire' ? fired : `${entry.code}${times}`));
  }
  for (const { rule, outcome, tookMs } of endings) said.get(rule)?.add(`${outcome} in ${duration(tookMs)}`);
  return [...said]
    .map(([rule, words]) => [...(rule === undefined ? [] : [rule]), [...words].join(', ')].join(': '))
    .join('; ');
}
