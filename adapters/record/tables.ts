import type { RecordedEnding } from '#contract/views/events.js';

// Times are epoch milliseconds. What is absent is null.

export interface EventRow {
  tenant: string;
  id: string;
  /** Grows with every write, so that who follows the record sees what is new. */
  seq: number;
  at: number;
  occurred_at: number | null;
  event: string;
  outcome: string | null;
  session: string | null;
  agent: string | null;
  source: string | null;
  tool: string | null;
  task: string | null;
  error: string | null;
  depth: number;
  /** 1 when a rule fired. */
  fired: number;
  /** Rules that gave a verdict, and codes of skips: each between two line ends. */
  rules: string;
  codes: string;
  /** JSON, without those of copies. */
  verdicts: string;
  copies: number;
  copied_at: number | null;
}

export interface EndingRow {
  remediation: string;
  tenant: string;
  seq: number;
  at: number;
  rule: string;
  event_id: string;
  event: string;
  event_outcome: string | null;
  tool: string | null;
  outcome: RecordedEnding['outcome'];
  took_ms: number;
}

export interface Tables {
  events: EventRow;
  endings: EndingRow;
}

/** What brings a database from each version to the next. Never edited once they were released. */
export const MIGRATIONS: readonly string[] = [
  `create table events (
     tenant text not null,
     id text not null,
     seq integer not null,
     at integer not null,
     occurred_at integer,
     event text not null,
     outcome text,
     session text,
     agent text,
     source text,
     tool text,
     task text,
     error text,
     depth integer not null,
     fired integer not null,
     rules text not null,
     codes text not null,
     verdicts text not null,
     copies integer not null,
     copied_at integer,
     primary key (tenant, id)
   );
   create index events_by_time on events (tenant, at, id);
   create index events_by_session on events (tenant, session, at, id);
   create index events_by_age on events (at);
   create unique index events_by_seq on events (seq);
   create table endings (
     remediation text not null primary key,
     tenant text not null,
     seq integer not null,
     at integer not null,
     rule text not null,
     event_id text not null,
     event text not null,
     event_outcome text,
     tool text,
     outcome text not null,
     took_ms integer not null
   );
   create index endings_by_event on endings (tenant, event_id);
   create index endings_by_age on endings (at);
   create unique index endings_by_seq on endings (seq);`,
];
