import { join } from 'node:path';
import { visible } from '#contract/text/plain-text.js';
import { messageOf, plural } from '#contract/text/words.js';
import type { TellRecord } from '#contract/record.js';
import { openDatabase, type RecordDatabase } from './database.js';
import { type KeepLimits, prune } from './prune.js';
import { type Told, writeEntries } from './write-entries.js';

export interface RecordWriter {
  /** It is written when this returns, unless it cannot be now: then it is kept, and tried again. */
  tell: TellRecord;
  state(): RecordState;
  /** Writes what it can still write. */
  close(): Promise<void>;
}

/** What could not be written. */
export interface RecordState {
  waiting: number;
  /** For good: more than can be kept here. */
  lost: number;
  trouble?: { sinceAt: number; why: string };
}

export interface RecordWriterOptions {
  path: string;
  /** None while nobody can tell: then nothing is forgotten. */
  limits(): Promise<KeepLimits | undefined>;
  /** Says once when it begins that nothing can be written, and once when it is over. */
  say(line: string): void;
}

const MAX_WAITING = 20_000;
const ROWS_PER_WRITE = 500;
const RETRY_MS = 1_000;
const PRUNE_EVERY_MS = 5 * 60_000;

/** Where the record of a state folder lies. */
export function recordFile(home: string): string {
  return join(home, 'record.db');
}

const WHAT_TO_DO =
  'Make room there, or set MESH_HOME to a folder that can be written. Events are judged all the same, and told of later.';

function isOfRow(error: unknown): boolean {
  return /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|RANGE)/.test((error as { code?: string }).code ?? '');
}

/** Writes what it is told at once. A store that is away delays nobody: what it is told then waits here. */
export function createRecordWriter({ path, limits, say }: RecordWriterOptions): RecordWriter {
  const queue: Told[] = [];
  let lost = 0;
  let trouble: RecordState['trouble'];
  let db: RecordDatabase | undefined;
  let retry: NodeJS.Timeout | undefined;
  let tidying: Promise<void> = Promise.resolve();
  const pruning = setInterval(tidy, PRUNE_EVERY_MS).unref();
  // At once: who follows it finds it before the first event, and what is wrong with it is said at the start.
  write();

  return {
    tell(tenant, entries) {
      const room = Math.max(0, MAX_WAITING - queue.length);
      queue.push(...entries.slice(0, room).map((entry) => ({ tenant, entry })));
      lost += Math.max(0, entries.length - room);
      if (!retry) write();
    },
    state: () => ({ waiting: queue.length, lost, ...(trouble && { trouble }) }),
    async close() {
      clearInterval(pruning);
      await tidying;
      write();
      clearTimeout(retry);
      if (queue.length > 0) say(`${plural(queue.length, 'row')} of the record ${path} are lost: ${trouble?.why}`);
      db?.close();
    },
  };

  function write(): void {
    clearTimeout(retry);
    retry = undefined;
    try {
      if (!db) {
        db = openDatabase(path);
        tidy();
      }
      while (queue.length > 0) {
        const batch = queue.slice(0, ROWS_PER_WRITE);
        writeBatch(db, batch);
        queue.splice(0, batch.length);
      }
      if (trouble) say(`The record ${path} can be written again.${toldOfLost()}`);
      trouble = undefined;
    } catch (error) {
      const why = messageOf(error);
      if (!trouble) say(`The record ${path} cannot be written: ${why}. ${WHAT_TO_DO}`);
      trouble ??= { sinceAt: Date.now(), why };
      retry = setTimeout(write, RETRY_MS).unref();
    }
  }

  /** Nothing that is wrong with one row, such as of a workflow that somebody started by hand, may keep the others out. */
  function writeBatch(open: RecordDatabase, batch: Told[]): void {
    try {
      writeEntries(open, batch);
    } catch (error) {
      if (!isOfRow(error)) throw error;
      if (batch.length > 1) return batch.forEach((one) => writeBatch(open, [one]));
      lost += 1;
      say(
        `The record ${path} cannot take an entry of tenant ${visible(String(batch[0]?.tenant))}: ${messageOf(error)}`,
      );
    }
  }

  function toldOfLost(): string {
    return lost === 0 ? '' : ` ${plural(lost, 'row')} could not be kept meanwhile.`;
  }

  /** One after the other. What fails is done the next time: a row more or less for a while harms nobody. */
  function tidy(): void {
    const open = db;
    if (!open) return;
    const once = async () => {
      const kept = await limits();
      if (kept) await prune(open, kept, Date.now());
    };
    tidying = tidying.then(once).catch(() => undefined);
  }
}
