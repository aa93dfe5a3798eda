import type { RemediationPage, RemediationSummary } from '#contract/views/remediation.js';
import type { Screen } from '../terminal/screen.js';
import { type Cell, renderTable } from '../terminal/table.js';
import { momentCell } from '../terminal/times.js';
import { paintOutcome, tookOf } from './remediation-lines.js';

/** Remediations as a table, in the order they come. */
export function renderRuns(
  { remediations }: Pick<RemediationPage, 'remediations'>,
  now: number,
  screen: Screen,
  idOf: (one: RemediationSummary) => string = ({ eventId }) => eventId,
): string {
  const rows = remediations.map((one): Cell[] => [
    momentCell(one.startedAt, now),
    one.rule,
    one.event ?? '-',
    [one.tool, one.session].filter((part) => part !== undefined).join(' / ') || '-',
    { text: one.outcome, paint: paintOutcome(one.outcome, screen.paint) },
    tookOf(one, now),
    idOf(one),
  ]);
  return renderTable(
    [
      { title: 'STARTED', min: 10 },
      { title: 'RULE', min: 10, keep: 1 },
      { title: 'EVENT', min: 18, dropFirst: 3 },
      { title: 'TOOL / SESSION', min: 14, dropFirst: 2 },
      { title: 'OUTCOME' },
      { title: 'TOOK', dropFirst: 1 },
      { title: 'ID' },
    ],
    rows,
    screen,
  );
}
