import { setImmediate as breathe } from 'node:timers/promises';
import type { RecordDatabase } from './database.js';

export interface KeepLimits {
  keepMs: number;
  maxBytes: number;
}

/** A writer waits while rows are deleted, and this process does: only for a moment each time. */
const ROWS_AT_ONCE = 1_000;
const PAGES_AT_ONCE = 500;

/** Forgets what is too old, and the oldest of what is too much. */
export async function prune(db: RecordDatabase, { keepMs, maxBytes }: KeepLimits, now: number): Promise<void> {
  const keptSince = Math.max(0, now - keepMs);
  while (forgetOldest(db, 'events', keptSince) === ROWS_AT_ONCE) await breathe();
  while (usedBytes(db) > maxBytes && forgetOldest(db, 'events', Infinity) > 0) await breathe();
  // How something ended is told as long as that it was started.
  const oldest = db.all<{ at: number | null }>('select min(at) as at from events', [])[0]?.at ?? keptSince;
  while (forgetOldest(db, 'endings', oldest) === ROWS_AT_ONCE) await breathe();
  for (let free = db.pragma('freelist_count'); free > 0; free -= PAGES_AT_ONCE) {
    db.shrink(PAGES_AT_ONCE);
    await breathe();
  }
}

/**
 * Of those that were written first. To look at all for the sake of one that was told late would take long. The last stays: who
 * follows the record counts on numbers that grow.
 */
function forgetOldest(db: RecordDatabase, table: 'events' | 'endings', before: number): number {
  const oldest = `select seq, at from ${table} where seq < (select max(seq) from ${table}) order by seq limit ${ROWS_AT_ONCE}`;
  const isOld = before === Infinity ? '' : 'where at < ?';
  return db.run(
    `delete from ${table} where seq in (select seq from (${oldest}) ${isOld})`,
    before === Infinity ? [] : [before],
  );
}

function usedBytes(db: RecordDatabase): number {
  return (db.pragma('page_count') - db.pragma('freelist_count')) * db.pragma('page_size');
}
