import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { DEFAULT_TENANT } from '#contract/names.js';
import type { EventFilter } from '#contract/record.js';
import type { RecordedEnding, RecordedEvent } from '#contract/views/events.js';
import type { LoggedVerdict } from '#contract/views/verdicts.js';
import type { RecordDatabase } from './database.js';
import type { EndingRow, EventRow, Tables } from './tables.js';

/** Where a page of events ends. */
export interface Position {
  at: number;
  id: string;
}

/** Events that were judged, the last first, and how what they started has ended. */
export async function findEvents(
  db: RecordDatabase,
  filter: EventFilter,
  limit: number,
  after?: Position,
): Promise<RecordedEvent[]> {
  const query = matching(db.query.selectFrom('events').selectAll(), filter).orderBy('at', 'desc').orderBy('id', 'desc');
  const page = after
    ? query.where(({ eb, or, and }) =>
        or([eb('at', '<', after.at), and([eb('at', '=', after.at), eb('id', '<', after.id)])]),
      )
    : query;
  return withEndings(db, tenantOf(filter), await page.limit(limit).execute());
}

export async function findEvent(db: RecordDatabase, tenant: string, id: string): Promise<RecordedEvent | undefined> {
  const row = await db.query
    .selectFrom('events')
    .selectAll()
    .where('tenant', '=', tenant)
    .where('id', '=', id)
    .executeTakeFirst();
  const [event] = await withEndings(db, tenant, row ? [row] : []);
  return event;
}

/** How far somebody who follows the record has read. */
export interface Followed {
  events: number;
  endings: number;
}

/** Where somebody starts who wants to hear only of what comes. */
export async function lastWritten(db: RecordDatabase): Promise<Followed> {
  const last = async (table: keyof Followed) => {
    const found = await db.query
      .selectFrom(table)
      .select(({ fn }) => fn.max<number | null>('seq').as('seq'))
      .executeTakeFirst();
    return found?.seq ?? 0;
  };
  return { events: await last('events'), endings: await last('endings') };
}

/** What was written since, in the order in which it was. */
export async function writtenSince(
  db: RecordDatabase,
  filter: EventFilter,
  since: Followed,
  limit: number,
): Promise<{ events: RecordedEvent[]; endings: RecordedEnding[]; read: Followed }> {
  const events = await matching(db.query.selectFrom('events').selectAll(), filter)
    .where('seq', '>', since.events)
    .orderBy('seq')
    .limit(limit)
    .execute();
  const endings = await db.query
    .selectFrom('endings')
    .selectAll()
    .where('tenant', '=', tenantOf(filter))
    .where('seq', '>', since.endings)
    .orderBy('seq')
    .limit(limit)
    .execute();
  return {
    events: events.map(eventOf),
    endings: endings.map(endingOf),
    read: { events: events.at(-1)?.seq ?? since.events, endings: endings.at(-1)?.seq ?? since.endings },
  };
}

type EventQuery = SelectQueryBuilder<Tables, 'events', EventRow>;

function matching(query: EventQuery, filter: EventFilter): EventQuery {
  const { session, tool, event, rule, code, verdict, sinceAt } = filter;
  let found = query.where('tenant', '=', tenantOf(filter));
  if (session !== undefined) found = found.where('session', '=', session);
  if (tool !== undefined) found = found.where('tool', '=', tool);
  if (event !== undefined) found = found.where('event', '=', event);
  if (rule !== undefined) found = found.where('rules', 'like', asLine(rule));
  if (code !== undefined) found = found.where('codes', 'like', asLine(code));
  if (verdict !== undefined) found = found.where('fired', '=', verdict === 'fired' ? 1 : 0);
  if (sinceAt !== undefined) found = found.where('at', '>=', sinceAt);
  return found;
}

function tenantOf({ tenant = DEFAULT_TENANT }: EventFilter): string {
  return tenant;
}

/** Finds a word that is one of the lines of a text, whatever is in it. */
function asLine(word: string): RawBuilder<string> {
  return sql`${`%\n${word.replace(/[\\%_]/g, '\\$&')}\n%`} escape '\\'`;
}

async function withEndings(db: RecordDatabase, tenant: string, rows: EventRow[]): Promise<RecordedEvent[]> {
  const ids = rows.filter(({ fired }) => fired === 1).map(({ id }) => id);
  const ended =
    ids.length === 0
      ? []
      : await db.query
          .selectFrom('endings')
          .selectAll()
          .where('tenant', '=', tenant)
          .where('event_id', 'in', ids)
          .orderBy('at')
          .execute();
  return rows.map((row) => {
    const endings = ended.filter(({ event_id }) => event_id === row.id).map(endingOf);
    return { ...eventOf(row), ...(endings.length > 0 && { endings }) };
  });
}

function eventOf(row: EventRow): RecordedEvent {
  const { id, at, event, depth } = row;
  const verdicts = JSON.parse(row.verdicts) as LoggedVerdict[];
  return {
    ...{ id, event, at, depth },
    ...(row.occurred_at !== null && { occurredAt: row.occurred_at }),
    ...(row.outcome !== null && { outcome: row.outcome }),
    ...(row.session !== null && { session: row.session }),
    ...(row.agent !== null && { agent: row.agent }),
    ...(row.source !== null && { source: row.source }),
    ...(row.tool !== null && { tool: row.tool }),
    ...(row.task !== null && { task: row.task }),
    ...(row.error !== null && { error: row.error }),
    verdicts: row.copies === 0 ? verdicts : [...verdicts, copiesOf(row)],
  };
}

function copiesOf({ id: eventId, event, depth, at, copies, copied_at }: EventRow): LoggedVerdict {
  const said = { verdict: 'skip', code: 'duplicate', reason: 'event id already seen' } as const;
  return { ...said, at: copied_at ?? at, eventId, event, depth, ...(copies > 1 && { times: copies }) };
}

function endingOf(row: EndingRow): RecordedEnding {
  const { remediation, rule, event, outcome, at } = row;
  return {
    ...{ remediation, rule, event, outcome, at, eventId: row.event_id, tookMs: row.took_ms },
    ...(row.event_outcome !== null && { eventOutcome: row.event_outcome }),
    ...(row.tool !== null && { tool: row.tool }),
  };
}
