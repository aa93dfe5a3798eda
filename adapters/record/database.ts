import { dirname } from 'node:path';
import Database from 'libsql';
import { ensureFolder } from '../files/ensure-folder.js';
import { MIGRATIONS } from './tables.js';

export type Value = string | number | null;

/** A database in a file, shared by the processes of one machine. Every call is done when it returns. */
export interface RecordDatabase {
  all<Row>(sql: string, values: readonly Value[]): Row[];
  /** How many rows were changed. */
  run(sql: string, values: readonly Value[]): number;
  /** All of it or none; another process that writes waits meanwhile. */
  inOne(work: () => void): void;
  /** A number that SQLite tells of itself. */
  pragma(name: 'page_count' | 'freelist_count' | 'page_size'): number;
  /** Gives back the room of so many pages of what was deleted. */
  shrink(pages: number): void;
  close(): void;
}

/** A writer holds the file for a moment; what cannot be written in this time is kept and written later. */
const BUSY_MS = 250;

/** Opens the file of a record for writing, made or brought to the newest version when it must be. */
export function openDatabase(path: string): RecordDatabase {
  ensureFolder(dirname(path));
  const database = new Database(path);
  try {
    database.pragma(`busy_timeout=${BUSY_MS}`);
    // Before the first table: so that the room of what is forgotten can be given back.
    database.pragma('auto_vacuum=incremental');
    database.pragma('journal_mode=wal');
    // What was written outlives the process; after a loss of power the last moment may be missing.
    database.pragma('synchronous=normal');
    inOne(database, () => bringUpToDate(database));
  } catch (error) {
    database.close();
    throw error;
  }
  return around(database);
}

/** Opens it for reading alone. The file must be there: it would be made otherwise. */
export function readDatabase(path: string): RecordDatabase {
  const database = new Database(path);
  database.pragma(`busy_timeout=${BUSY_MS}`);
  database.pragma('query_only=on');
  return around(database);
}

/** Whether it has its tables, so that it can be asked. */
export function isMade(db: RecordDatabase): boolean {
  return db.all(`select name from sqlite_master where name = 'endings'`, []).length > 0;
}

function bringUpToDate(database: Database.Database): void {
  database.exec('create table if not exists versions (version integer not null)');
  const { version } = database.prepare('select count(*) as version from versions').get() as { version: number };
  if (version > MIGRATIONS.length) throw new Error('it was written by a newer version of the mesh');
  for (const [index, statements] of MIGRATIONS.entries()) {
    if (index < version) continue;
    database.exec(statements);
    database.exec(`insert into versions values (${index + 1})`);
  }
}

/** By hand: where SQLite has rolled back by itself, as on a full disk, libsql's own would tell of that instead of the disk. */
function inOne(database: Database.Database, work: () => void): void {
  database.exec('begin immediate');
  try {
    work();
    database.exec('commit');
  } catch (error) {
    try {
      database.exec('rollback');
    } catch {
      // It is rolled back already.
    }
    throw error;
  }
}

/** What libsql is not given: it ends the process over a value of another kind. */
function plain(value: unknown): Value {
  if (typeof value === 'string' || value === null) return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return value === undefined ? null : JSON.stringify(value);
}

function around(database: Database.Database): RecordDatabase {
  const known = new Map<string, Database.Statement>();
  const statement = (sql: string) => {
    const prepared = known.get(sql) ?? database.prepare(sql);
    known.set(sql, prepared);
    return prepared;
  };
  return {
    all: <Row>(sql: string, values: readonly Value[]) => statement(sql).all(...values.map(plain)) as Row[],
    run: (sql, values) => statement(sql).run(...values.map(plain)).changes,
    inOne: (work) => inOne(database, work),
    pragma: (name) => Object.values(database.prepare(`pragma ${name}`).get() as object)[0] as number,
    shrink: (pages) => void database.exec(`pragma incremental_vacuum(${pages}); pragma wal_checkpoint`),
    close() {
      // Statements would keep the file open.
      known.clear();
      database.close();
    },
  };
}
