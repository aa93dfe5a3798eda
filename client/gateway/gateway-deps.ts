import type { Redactor } from '#contract/text/redact/redact.js';
import type { EventRecord } from '../event-record.js';
import type { Mesh } from '../mesh.js';
import type { Access } from './access.js';

/** Everything the gateway needs from outside. */
export interface GatewayDeps {
  mesh: Pick<
    Mesh,
    | 'send'
    | 'status'
    | 'judgement'
    | 'remediations'
    | 'remediation'
    | 'abort'
    | 'retry'
    | 'rearm'
    | 'pause'
    | 'resume'
    | 'health'
    | 'waiting'
  >;
  /** What was judged, for those who ask later. */
  record: Pick<EventRecord, 'list'>;
  /** Who may do what, asked for at every request, so that an edit of `mesh.yaml` needs no restart. */
  policy: PolicySource;
  /** Whether the rules of every tenant can be used as they are now. */
  areRulesValid(): Promise<boolean>;
  /** Whether only this machine can reach the gateway. */
  isLoopback: boolean;
  log: GatewayLog;
  /** Epoch milliseconds. */
  now(): number;
  makeId(): string;
  /** Events that wait in the spool of this machine. */
  spooled?(): Promise<number>;
  limits?: Partial<GatewayLimits>;
}

export interface PolicySource {
  current(): Promise<GatewayPolicy>;
}

/** What `mesh.yaml` says about the gateway. */
export interface GatewayPolicy {
  /** Why nobody may come in: the file cannot be used and never could. */
  unusable?: string;
  access: Access;
  /** Origins, such as `https://console.example.com`, whose pages may call. */
  allowedOrigins: ReadonlySet<string>;
  /** Host names under which the gateway is reached. */
  allowedHosts: ReadonlySet<string>;
  eventsPerSecond: number;
  redactor: Redactor;
}

export interface GatewayLog {
  info(meta: object, message: string): void;
  warn(meta: object, message: string): void;
  error(meta: object, message: string): void;
}

export interface GatewayLimits {
  bodyBytes: number;
  headerBytes: number;
  eventsPerRequest: number;
  connections: number;
  /** The time in which a request must arrive whole. */
  requestWithinMs: number;
  /** The time in which its headers must arrive. */
  headersWithinMs: number;
  /** The time in which events must be stored. The caller waits, and can send them again. */
  storeWithinMs: number;
  /** An idle connection is kept open this long. */
  keepAliveMs: number;
  /** Requests a second and tenant that do not report events. */
  requestsPerSecond: number;
}

export const GATEWAY_LIMITS: GatewayLimits = {
  bodyBytes: 4 * 1024 * 1024,
  headerBytes: 16 * 1024,
  eventsPerRequest: 1_000,
  connections: 1_000,
  requestWithinMs: 10_000,
  headersWithinMs: 5_000,
  storeWithinMs: 8_000,
  keepAliveMs: 65_000,
  requestsPerSecond: 100,
};
