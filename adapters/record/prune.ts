import { sql } from 'kysely';
import { setImmediate as breathe } from 'node:timers/promises';
import type { RecordDatabase } from './database.js';

export interface KeepLimits {
  keepMs: number;
  maxBytes: number;
}

/** A writer waits while rows are deleted: only for a moment each time. */
const ROWS_AT_ONCE = 1_000;
/** Of what is there, when it has become too large. */
const SHARE = 0.1;

/** Forgets what is too old, and the oldest of what is too much. */
export async function prune(db: RecordDatabase, { keepMs, maxBytes }: KeepLimits, now: number): Promise<void> {
  await forgetBefore(db, now - keepMs);
  while (usedBytes(db) > maxBytes) {
    const before = await endOfOldest(db);
    if (before === undefined) break;
    await forgetBefore(db, before);
  }
  db.shrink();
}

async function forgetBefore(db: RecordDatabase, at: number): Promise<void> {
  for (const [table, key] of KEYS) {
    const old = sql`select ${key} from ${sql.table(table)} where at < ${at} limit ${ROWS_AT_ONCE}`;
    const statement = sql`delete from ${sql.table(table)} where (${key}) in (${old})`.compile(db.query);
    while (db.write([statement])[0] === ROWS_AT_ONCE) await breathe();
  }
}

const KEYS = [
  ['events', sql`tenant, id`],
  ['endings', sql`remediation`],
] as const;

function usedBytes(db: RecordDatabase): number {
  return (db.pragma('page_count') - db.pragma('freelist_count')) * db.pragma('page_size');
}

/** The time before which the oldest of all events lie, or nothing when there are none. */
async function endOfOldest({ query }: RecordDatabase): Promise<number | undefined> {
  const { count } = await query
    .selectFrom('events')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const found = await query
    .selectFrom('events')
    .select('at')
    .orderBy('at')
    .offset(Math.floor(count * SHARE))
    .limit(1)
    .executeTakeFirst();
  return found && found.at + 1;
}
