/** An event as a runtime reports it; what is absent is filled in. */
export interface EventInput {
  event: string;
  /** Default: `unknown`. */
  outcome?: 'success' | 'failed' | 'timeout' | 'unknown';
  /** Default: a fresh id. Give a stable one, and a second report of the same thing is recognised. */
  id?: string;
  tenant?: string;
  /** Default: `session_id` of the payload. */
  session?: string;
  agent?: string;
  depth?: number;
  source?: string;
  /** Epoch milliseconds or an ISO 8601 text. Default: now. */
  occurredAt?: number | string;
  /**
   * Its place in a chain: the first event of it and the remediation that led here, or the `token` that proves both, which
   * the mesh gives the agents it starts as `MESH_LINEAGE`.
   */
  lineage?: { root?: string; parent?: string; token?: string };
  payload?: Record<string, unknown>;
  /** Whose names the payload has for things. Default: those of the mesh, see docs/rules.md. */
  dialect?: string;
  /** Set when long texts of the payload were cut already. */
  truncated?: boolean;
  requestId?: string;
}

/** What an event gets that does not say it itself. */
export interface EventDefaults {
  now: number;
  makeId(): string;
  tenant?: string;
  depth?: number;
  source?: string;
  lineage?: { root?: string; parent?: string; token?: string };
  requestId?: string;
}
