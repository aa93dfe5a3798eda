import type { LoggedVerdict } from '#contract/views/verdicts.js';
import type { Screen } from '../terminal/screen.js';
import { type Cell, renderTable } from '../terminal/table.js';
import { relative } from '../terminal/times.js';
import { verdictsInShort } from './events.js';

const SHOWN_EVENTS = 5;

/** The last events of a tenant, the newest first: where to get an id from, to ask why. */
export function renderLastEvents(log: LoggedVerdict[], now: number, screen: Screen): string {
  const events = new Map<string, LoggedVerdict[]>();
  for (const entry of log) {
    const key = `${entry.eventId} ${entry.at}`;
    events.set(key, [...(events.get(key) ?? []), entry]);
  }
  // An entry that counts copies stands where the first of them came, with the time of the last.
  const rows = [...events.values()]
    .sort(([a], [b]) => (b?.at ?? 0) - (a?.at ?? 0))
    .slice(0, SHOWN_EVENTS)
    .map((entries): Cell[] => {
      const [{ at, event, eventId } = { at: 0, event: '', eventId: '' }] = entries;
      return [relative(at, now), event, eventId, verdictsInShort(entries, 'fire')];
    });
  if (rows.length === 0) return '';
  return renderTable(
    [
      { title: 'LAST EVENTS' },
      { title: 'NAME', min: 18, dropFirst: 1 },
      { title: 'ID' },
      { title: 'VERDICT', min: 10, keep: 1, maxLines: 4 },
    ],
    rows,
    screen,
  );
}
