import type { Gathered, VerdictRow } from './gathered.js';
import type { RecordedRun } from './read-histories.js';

/**
 * Adds the verdicts that stand in what one run of a watch hands to the next, wherever in there: it is one more look at a moment
 * when perhaps nobody looked.
 */
export function addRowsIn(runs: readonly RecordedRun[], gathered: Gathered): void {
  for (const { type, id, input } of runs) {
    if (type === 'watch') gathered.add(id.slice(id.indexOf('/') + 1), rowsIn(input));
  }
}

function rowsIn(value: unknown): VerdictRow[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('eventId' in value && 'verdict' in value && 'at' in value) return [value as VerdictRow];
  return Object.values(value).flatMap(rowsIn);
}
