import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Entry } from '#contract/record.js';
import type { RecordedEnding, RecordedEvent } from '#contract/views/events.js';
import type { LoggedVerdict } from '#contract/views/verdicts.js';
import type { RecordDatabase } from './database.js';
import { findEvent } from './find-entries.js';
import type { EventRow, Tables } from './tables.js';

/** What was told of a tenant. */
export interface Told {
  tenant: string;
  entry: Entry;
}

/** What is there already is replaced: a judging that was not committed is told once more. */
export async function writeEntries(db: RecordDatabase, told: readonly Told[]): Promise<void> {
  let statements: CompiledQuery[] = [];
  for (const { tenant, entry } of told) {
    if (entry.kind === 'event')
      statements.push(isOfCopies(entry) ? ofCopy(db, tenant, entry) : ofEvent(db, tenant, entry));
    else if (entry.kind === 'ending') statements.push(ofEnding(db, tenant, entry));
    else {
      // Its event may be among those before it.
      db.write(statements);
      const event = await findEvent(db, tenant, entry.eventId);
      statements = event ? [ofEvent(db, tenant, notStarted(event, entry))] : [];
    }
  }
  db.write(statements);
}

function ofEvent({ query }: RecordDatabase, tenant: string, event: RecordedEvent): CompiledQuery {
  const judged = rowOf(tenant, event);
  const seq = nextSeq('events');
  return query
    .insertInto('events')
    .values({ ...judged, copies: 0, seq })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant', 'id'])
        .doUpdateSet({ ...judged, seq })
        // A worker that was frozen tells late of what another one has judged since.
        .whereRef('events.at', '<=', sql.ref('excluded.at')),
    )
    .compile();
}

/** The row of an event that is kept no longer, or is told of by its copies first, stands for them alone. */
function ofCopy({ query }: RecordDatabase, tenant: string, event: RecordedEvent): CompiledQuery {
  const copied_at = event.at;
  return query
    .insertInto('events')
    .values({ ...rowOf(tenant, { ...event, verdicts: [] }), copies: 1, copied_at, seq: nextSeq('events') })
    .onConflict((conflict) =>
      conflict.columns(['tenant', 'id']).doUpdateSet({ copies: sql<number>`events.copies + 1`, copied_at }),
    )
    .compile();
}

function ofEnding({ query }: RecordDatabase, tenant: string, ending: RecordedEnding): CompiledQuery {
  const { remediation, at, rule, event, outcome } = ending;
  const row = {
    ...{ tenant, at, rule, event, outcome, seq: nextSeq('endings') },
    event_id: ending.eventId,
    event_outcome: ending.eventOutcome ?? null,
    tool: ending.tool ?? null,
    took_ms: ending.tookMs,
  };
  return query
    .insertInto('endings')
    .values({ remediation, ...row })
    .onConflict((conflict) => conflict.column('remediation').doUpdateSet(row))
    .compile();
}

function notStarted(event: RecordedEvent, { rule, reason }: Extract<Entry, { kind: 'not-started' }>): RecordedEvent {
  const verdicts = event.verdicts.map((one): LoggedVerdict => {
    if (one.verdict !== 'fire' || one.rule !== rule) return one;
    const { remediation: _none, ...rest } = one;
    return { ...rest, verdict: 'skip', code: 'error', reason };
  });
  return { ...event, verdicts: verdicts.filter((one) => !isCopy(one)) };
}

function nextSeq(table: keyof Tables): RawBuilder<number> {
  return sql<number>`(select coalesce(max(seq), 0) + 1 from ${sql.table(table)})`;
}

function rowOf(tenant: string, event: RecordedEvent): Omit<EventRow, 'seq' | 'copies' | 'copied_at'> {
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
  const skips = verdicts.flatMap((one) => (one.verdict === 'skip' ? [one.code] : []));
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
    codes: asLines(skips),
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

function isCopy(verdict: LoggedVerdict): boolean {
  return verdict.verdict === 'skip' && verdict.code === 'duplicate';
}
