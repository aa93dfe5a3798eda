import type { RecordedEnding } from '#contract/views/events.js';

// Times are epoch milliseconds. What is absent is null. `seq` grows with every write, so that who follows the record sees what is
// new, and the oldest are the first to go.

export interface EventRow {
  seq: number;
  tenant: string;
  id: string;
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
  seq: number;
  remediation: string;
  tenant: string;
  at: number;
  rule: string;
  event_id: string;
  event: string;
  event_outcome: string | null;
  tool: string | null;
  outcome: RecordedEnding['outcome'];
  took_ms: number;
}

/** What brings a database from each version to the next. Never edited once they were released. */
export const MIGRATIONS: readonly string[] = [
  `create table events (
     seq integer primary key,
     tenant text not null,
     id text not null,
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
     copies integer not null default 0,
     copied_at integer,
     unique (tenant, id)
   );
   create index events_by_time on events (tenant, at, id);
   create index events_by_session on events (tenant, session, at, id);
   create index events_by_tool on events (tenant, tool, at, id);
   create table endings (
     seq integer primary key,
     remediation text not null unique,
     tenant text not null,
     at integer not null,
     rule text not null,
     event_id text not null,
     event text not null,
     event_outcome text,
     tool text,
     outcome text not null,
     took_ms integer not null
   );
   create index endings_by_event on endings (tenant, event_id);`,
];
