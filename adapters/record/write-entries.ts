import type { Entry } from '#contract/record.js';
import { isCopy } from '#contract/verdict.js';
import type { RecordedEnding, RecordedEvent } from '#contract/views/events.js';
import type { LoggedVerdict } from '#contract/views/verdicts.js';
import type { RecordDatabase, Value } from './database.js';
import { findEvent } from './find-entries.js';
import type { EndingRow, EventRow } from './tables.js';

/** What was told of a tenant. */
export interface Told {
  tenant: string;
  entry: Entry;
}

/** Writes all or nothing. What is there already is replaced: a judging that was not committed is told once more. */
export function writeEntries(db: RecordDatabase, told: readonly Told[]): void {
  db.inOne(() => {
    const copies = new Map<string, Copies>();
    for (const { tenant, entry } of told) {
      if (entry.kind === 'ending') writeEnding(db, tenant, entry);
      else if (entry.kind === 'not-started') writeNotStarted(db, tenant, entry);
      else if (!isOfCopies(entry)) writeEvent(db, tenant, entry);
      else {
        const key = `${tenant} ${entry.id} ${entry.at}`;
        copies.set(key, { tenant, event: entry, count: (copies.get(key)?.count ?? 0) + 1 });
      }
    }
    for (const one of copies.values()) writeCopies(db, one);
  });
}

/** Those of one event that were judged at the same time. */
interface Copies {
  tenant: string;
  event: RecordedEvent;
  count: number;
}

type WrittenEvent = Omit<EventRow, 'seq' | 'copies' | 'copied_at'>;

const EVENT_COLUMNS: readonly (keyof WrittenEvent)[] = [
  ...(['tenant', 'id', 'at', 'occurred_at', 'event', 'outcome', 'session', 'agent', 'source', 'tool', 'task'] as const),
  ...(['error', 'depth', 'fired', 'rules', 'codes', 'verdicts'] as const),
];
const ENDING_COLUMNS: readonly (keyof Omit<EndingRow, 'seq'>)[] = [
  ...(['remediation', 'tenant', 'at', 'rule', 'event_id', 'event', 'event_outcome', 'tool', 'outcome'] as const),
  'took_ms',
];

// A worker that was frozen tells late of what another one has judged since: that is no news.
const JUDGED = `${insertInto('events', EVENT_COLUMNS)} on conflict (tenant, id) do update set
  seq = excluded.seq, ${replaced(EVENT_COLUMNS)} where events.at <= excluded.at`;
// The row of an event that is kept no longer, or is told of by its copies first, stands for them alone. Told again they count once.
const COPIED = `${insertInto('events', EVENT_COLUMNS, 'copies, copied_at', '?, ?')}
  on conflict (tenant, id) do update set copies = events.copies + excluded.copies, copied_at = excluded.copied_at
  where events.copied_at is null or events.copied_at < excluded.copied_at`;
const ENDED = `${insertInto('endings', ENDING_COLUMNS)} on conflict (remediation) do update set
  seq = excluded.seq, ${replaced(ENDING_COLUMNS)} where endings.at <= excluded.at`;

function insertInto(table: string, columns: readonly string[], more?: string, values?: string): string {
  const next = `(select coalesce(max(seq), 0) + 1 from ${table})`;
  const [names, given] = [columns.join(', '), columns.map(() => '?').join(', ')];
  return `insert into ${table} (seq, ${names}${more ? `, ${more}` : ''}) values (${next}, ${given}${values ? `, ${values}` : ''})`;
}

function replaced(columns: readonly string[]): string {
  return columns.map((column) => `${column} = excluded.${column}`).join(', ');
}

function writeEvent(db: RecordDatabase, tenant: string, event: RecordedEvent): void {
  db.run(JUDGED, valuesOf(rowOf(tenant, event), EVENT_COLUMNS));
}

function writeCopies(db: RecordDatabase, { tenant, event, count }: Copies): void {
  db.run(COPIED, [...valuesOf(rowOf(tenant, { ...event, verdicts: [] }), EVENT_COLUMNS), count, event.at]);
}

function writeNotStarted(db: RecordDatabase, tenant: string, entry: Extract<Entry, { kind: 'not-started' }>): void {
  const event = findEvent(db, tenant, entry.eventId);
  if (!event) return;
  const verdicts = event.verdicts.map((one): LoggedVerdict => {
    if (one.verdict !== 'fire' || one.rule !== entry.rule) return one;
    const { remediation: _none, ...rest } = one;
    return { ...rest, verdict: 'skip', code: 'error', reason: entry.reason };
  });
  writeEvent(db, tenant, { ...event, verdicts: verdicts.filter((one) => !isCopy(one)) });
}

function writeEnding(db: RecordDatabase, tenant: string, ending: RecordedEnding): void {
  const { remediation, rule, eventId: event_id, event, eventOutcome, tool, outcome, at, tookMs: took_ms } = ending;
  const row = { remediation, tenant, at, rule, event_id, event, outcome, took_ms };
  const values = { ...row, event_outcome: eventOutcome ?? null, tool: tool ?? null };
  db.run(ENDED, valuesOf(values, ENDING_COLUMNS));
}

function valuesOf<Name extends string>(row: Record<Name, Value>, columns: readonly Name[]): Value[] {
  return columns.map((column) => row[column]);
}

function rowOf(tenant: string, event: RecordedEvent): WrittenEvent {
  const {
    id,
    at,
    occurredAt,
    event: name,
    outcome,
    session,
    agent,
    source,
    tool,
    task,
    error,
    depth,
    verdicts,
  } = event;
  return {
    ...{ tenant, id, at, event: name, depth },
    occurred_at: occurredAt ?? null,
    outcome: outcome ?? null,
    session: session ?? null,
    agent: agent ?? null,
    source: source ?? null,
    tool: tool ?? null,
    task: task ?? null,
    error: error ?? null,
    fired: verdicts.some(({ verdict }) => verdict === 'fire') ? 1 : 0,
    rules: asLines(verdicts.flatMap(({ rule }) => rule ?? [])),
    codes: asLines(verdicts.flatMap((one) => (one.verdict === 'skip' ? [one.code] : []))),
    verdicts: JSON.stringify(verdicts),
  };
}

/** So that one of them is found between two line ends, whatever the others are. */
function asLines(words: readonly string[]): string {
  return words.length === 0 ? '' : `\n${[...new Set(words)].join('\n')}\n`;
}

function isOfCopies({ verdicts }: RecordedEvent): boolean {
  return verdicts.length > 0 && verdicts.every(isCopy);
}
