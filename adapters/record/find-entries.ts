import { setImmediate as breathe } from 'node:timers/promises';
import { DEFAULT_TENANT } from '#contract/names.js';
import type { EventFilter } from '#contract/record.js';
import type { RecordedEnding, RecordedEvent } from '#contract/views/events.js';
import type { LoggedVerdict } from '#contract/views/verdicts.js';
import type { RecordDatabase, Value } from './database.js';
import type { EndingRow, EventRow } from './tables.js';

/** Where a page of events ends. */
export interface Position {
  at: number;
  id: string;
}

/** So many rows are looked at in one go; whoever shares the process goes on in between. */
const ROWS_AT_ONCE = 20_000;

/** Events that were judged, the last first, and how what they started has ended. */
export async function findEvents(
  db: RecordDatabase,
  filter: EventFilter,
  limit: number,
  after?: Position,
): Promise<RecordedEvent[]> {
  const found: EventRow[] = [];
  const [byIndex, byRow] = [indexTermsOf(filter), rowTermsOf(filter)];
  for (let from = after; ;) {
    const begin: Term[] = [...byIndex, ...(from ? [['(at, id) < (?, ?)', from.at, from.id] satisfies Term] : [])];
    const [end] = select<Position>(db, 'events', begin, `${NEWEST_FIRST} limit 1 offset ?`, ROWS_AT_ONCE);
    const until: Term[] = end ? [['(at, id) >= (?, ?)', end.at, end.id]] : [];
    const wanted = [...begin, ...until, ...byRow];
    found.push(...select<EventRow>(db, 'events', wanted, `${NEWEST_FIRST} limit ?`, limit - found.length));
    if (!end || found.length === limit) return withEndings(db, tenantOf(filter), found);
    from = end;
    await breathe();
  }
}

const NEWEST_FIRST = 'order by at desc, id desc';

export function findEvent(db: RecordDatabase, tenant: string, id: string): RecordedEvent | undefined {
  const rows = select<EventRow>(db, 'events', [
    ['tenant = ?', tenant],
    ['id = ?', id],
  ]);
  return withEndings(db, tenant, rows)[0];
}

/** How far somebody who follows the record has read. */
export interface Followed {
  events: number;
  endings: number;
}

/** Where somebody starts who wants to hear only of what comes. */
export function lastWritten(db: RecordDatabase): Followed {
  const last = (table: keyof Followed) =>
    db.all<{ seq: number | null }>(`select max(seq) as seq from ${table}`, [])[0]?.seq ?? 0;
  return { events: last('events'), endings: last('endings') };
}

/** What was written since, in the order in which it was. */
export function writtenSince(
  db: RecordDatabase,
  filter: EventFilter,
  since: Followed,
  limit: number,
): { events: RecordedEvent[]; endings: RecordedEnding[]; read: Followed } {
  const inOrder = 'order by seq limit ?';
  const eventTerms: Term[] = [...termsOf(filter), ['seq > ?', since.events]];
  const [conditions, values] = written(termsOf(filter));
  const endingTerms: Term[] = [
    ['tenant = ?', tenantOf(filter)],
    ['seq > ?', since.endings],
    // Of events that are meant, and of the rule.
    [`exists (select 1 from events where id = event_id and ${conditions})`, ...values],
    ...(filter.rule === undefined ? [] : [['rule = ?', filter.rule] satisfies Term]),
  ];
  const events = select<EventRow>(db, 'events', eventTerms, inOrder, limit);
  const endings = select<EndingRow>(db, 'endings', endingTerms, inOrder, limit);
  return {
    events: events.map(eventOf),
    endings: endings.map(endingOf),
    read: { events: events.at(-1)?.seq ?? since.events, endings: endings.at(-1)?.seq ?? since.endings },
  };
}

/** A condition, and the values in it. */
type Term = [sql: string, ...values: Value[]];

function select<Row>(
  db: RecordDatabase,
  table: 'events' | 'endings',
  terms: readonly Term[],
  rest = '',
  ...more: Value[]
): Row[] {
  const [conditions, values] = written(terms);
  return db.all<Row>(`select * from ${table} where ${conditions} ${rest}`, [...values, ...more]);
}

function written(terms: readonly Term[]): [conditions: string, values: Value[]] {
  return [terms.map(([sql]) => sql).join(' and '), terms.flatMap(([, ...given]) => given)];
}

function termsOf(filter: EventFilter): Term[] {
  return [...indexTermsOf(filter), ...rowTermsOf(filter)];
}

/** What an index serves. */
function indexTermsOf(filter: EventFilter): Term[] {
  const { session, tool, sinceAt } = filter;
  const terms: Term[] = [['tenant = ?', tenantOf(filter)]];
  if (session !== undefined) terms.push(['session = ?', session]);
  if (tool !== undefined) terms.push(['tool = ?', tool]);
  if (sinceAt !== undefined) terms.push(['at >= ?', sinceAt]);
  return terms;
}

/** What is looked at row by row. */
function rowTermsOf({ event, rule, code, verdict }: EventFilter): Term[] {
  const terms: Term[] = [];
  if (event !== undefined) terms.push(['event = ?', event]);
  if (rule !== undefined) terms.push(['instr(rules, ?)', `\n${rule}\n`]);
  if (code === 'duplicate') terms.push(['copies > 0']);
  else if (code !== undefined) terms.push(['instr(codes, ?)', `\n${code}\n`]);
  if (verdict !== undefined) terms.push(['fired = ?', verdict === 'fired' ? 1 : 0]);
  return terms;
}

function tenantOf({ tenant = DEFAULT_TENANT }: EventFilter): string {
  return tenant;
}

function withEndings(db: RecordDatabase, tenant: string, rows: readonly EventRow[]): RecordedEvent[] {
  return rows.map((row) => {
    const event = eventOf(row);
    if (row.fired === 0) return event;
    const terms: Term[] = [
      ['tenant = ?', tenant],
      ['event_id = ?', row.id],
    ];
    const endings = select<EndingRow>(db, 'endings', terms, 'order by at').map(endingOf);
    return endings.length === 0 ? event : { ...event, endings };
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
