import { setImmediate as breathe } from 'node:timers/promises';
import type { RecordDatabase } from './database.js';

export interface KeepLimits {
  keepMs: number;
  maxBytes: number;
}

/** A writer waits while rows are deleted: only for a moment each time. */
const ROWS_AT_ONCE = 1_000;

/** Forgets what is too old, and the oldest of what is too much. */
export async function prune(db: RecordDatabase, { keepMs, maxBytes }: KeepLimits, now: number): Promise<void> {
  const before = now - keepMs;
  for (const table of ['events', 'endings'] as const) {
    while (forgetOldest(db, table, before) === ROWS_AT_ONCE) await breathe();
  }
  while (usedBytes(db) > maxBytes && forgetOldest(db, 'events', Infinity) > 0) {
    forgetOldest(db, 'endings', Infinity);
    await breathe();
  }
  db.shrink();
}

/** Of those that were written first. To look at all for the sake of one that was told late would take long. */
function forgetOldest(db: RecordDatabase, table: 'events' | 'endings', before: number): number {
  const oldest = `select seq, at from ${table} order by seq limit ${ROWS_AT_ONCE}`;
  return db.run(`delete from ${table} where seq in (select seq from (${oldest}) where at < ?)`, [before]);
}

function usedBytes(db: RecordDatabase): number {
  return (db.pragma('page_count') - db.pragma('freelist_count')) * db.pragma('page_size');
}
