import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { isMade, readDatabase, type RecordDatabase } from '#adapters/record/database.js';
import {
  findEvent,
  findEvents,
  type Followed,
  lastWritten,
  type Position,
  writtenSince,
} from '#adapters/record/find-entries.js';
import type { EventFilter } from '#contract/record.js';
import type { EventPage, RecordedEnding, RecordedEvent } from '#contract/views/events.js';
import { recordFile } from '#adapters/record/record.js';
import { MeshError } from './errors.js';
import { DEFAULT_PAGE, MAX_PAGE } from './filters.js';

/** What was judged, for those who ask later. No Temporal and no worker is needed. */
export interface EventRecord {
  /** The one judged last comes first. */
  list(filter: EventFilter): Promise<EventPage>;
  get(tenant: string, eventId: string): Promise<RecordedEvent | undefined>;
  /** What is written from now on, until the signal says that it is enough. */
  follow(filter: EventFilter, signal: AbortSignal): AsyncGenerator<News>;
  close(): Promise<void>;
}

export type News = { event: RecordedEvent } | { ending: RecordedEnding };

const LOOK_EVERY_MS = 250;
const NEWS_AT_ONCE = 500;

/** The record in a state folder; it is there once a worker has worked with this folder. */
export function openEventRecord(home: string): EventRecord {
  const path = recordFile(home);
  let opened: RecordDatabase | undefined;
  const db = () => (opened ??= open(path));
  return {
    async list({ limit = DEFAULT_PAGE, page, ...filter }) {
      const wanted = Math.min(Math.max(limit, 1), MAX_PAGE);
      const after = page === undefined ? undefined : readPage(page);
      // One more tells whether there is a next page.
      const found = await findEvents(db(), filter, wanted + 1, after);
      const events = found.slice(0, wanted);
      const last = events.at(-1);
      return { events, ...(found.length > wanted && last && { nextPage: writePage(last) }) };
    },
    get: async (tenant, eventId) => findEvent(db(), tenant, eventId),
    async *follow(filter, signal) {
      let since: Followed = lastWritten(db());
      while (!signal.aborted) {
        const { events, endings, read } = writtenSince(db(), filter, since, NEWS_AT_ONCE);
        since = read;
        for (const event of events) yield { event };
        for (const ending of endings) yield { ending };
        await wait(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
      }
    },
    close: async () => opened?.close(),
  };
}

function open(path: string): RecordDatabase {
  if (!existsSync(path))
    throw new MeshError(
      'no-record',
      `there is no record at ${path}: no worker has worked with this state folder (MESH_HOME) yet`,
    );
  const db = readDatabase(path);
  if (isMade(db)) return db;
  // One that is being made, or was never finished.
  db.close();
  throw new MeshError('no-record', `there is no record at ${path} yet: no worker has finished it`);
}

function writePage({ at, id }: Position): string {
  return Buffer.from(JSON.stringify([at, id])).toString('base64url');
}

function readPage(page: string): Position {
  try {
    const [at, id, ...rest] = JSON.parse(Buffer.from(page, 'base64url').toString()) as unknown[];
    if (typeof at === 'number' && typeof id === 'string' && rest.length === 0) return { at, id };
  } catch {
    // Answered below, like all else that is no page.
  }
  throw new MeshError('not-found', 'there is no such page: give the nextPage of the page before, and the same filter');
}
