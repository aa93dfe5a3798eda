import { MeshEvent, OUTCOMES } from '../contract/event.js';
import { DEFAULT_TENANT } from '../contract/names.js';
import { nearest } from '../contract/nearest.js';
import { type Problem, problemsOf } from '../contract/problem.js';
import { checkPayload } from './check-payload.js';

/** An event as a runtime reports it; what is absent is filled in. */
export interface EventInput {
  event: string;
  /** Default: `unknown`. */
  outcome?: (typeof OUTCOMES)[number];
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
  lineage?: { root: string; parent?: string };
  payload?: Record<string, unknown>;
}

export interface EventDefaults {
  now: number;
  makeId(): string;
  tenant?: string;
  depth?: number;
  source?: string;
  lineage?: { root: string; parent?: string };
}

export type ParsedEvent = { ok: true; event: MeshEvent } | { ok: false; problems: Problem[] };

/** Checks one reported event and fills in what is absent. Strict: a misspelt field is an error, not a lost fact. */
export function parseEvent(input: unknown, defaults: EventDefaults): ParsedEvent {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return {
      ok: false,
      problems: [{ path: '', message: 'expected an event object', expected: 'an object with `event`' }],
    };
  }
  const filled = fillIn(input, defaults);
  const parsed = MeshEvent.safeParse(filled);
  // The payload as it was given: zod silently leaves out a key named __proto__, which is to be refused.
  const problems = parsed.success
    ? checkPayload(filled['payload'] as Record<string, unknown>)
    : problemsOf(parsed.error, filled);
  if (!parsed.success || problems.length > 0) return { ok: false, problems: problems.map(withOutcomeHint) };
  return { ok: true, event: parsed.data };
}

function fillIn(input: object, defaults: EventDefaults): Record<string, unknown> {
  // In JavaScript `session: undefined` is how a caller without a session writes it, so it counts as absent; null does not.
  const given: Record<string, unknown> = Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== undefined),
  );
  const { payload = {}, id = defaults.makeId(), occurredAt = defaults.now, session = sessionIn(payload) } = given;
  return {
    outcome: 'unknown',
    tenant: defaults.tenant ?? DEFAULT_TENANT,
    depth: defaults.depth ?? 0,
    ...(defaults.source !== undefined && { source: defaults.source }),
    ...(defaults.lineage !== undefined && { lineage: defaults.lineage }),
    ...given,
    ...(session !== undefined && { session }),
    payload,
    id,
    occurredAt: instant(occurredAt),
  };
}

function sessionIn(payload: unknown): string | undefined {
  const session =
    typeof payload === 'object' && payload !== null && 'session_id' in payload ? payload.session_id : undefined;
  return typeof session === 'string' && session !== '' ? session.slice(0, 200) : undefined;
}

/** Left as it is when it cannot be read, so that the problem shows what stood there. */
function instant(written: unknown): unknown {
  // Date.parse alone takes "12345" for a year.
  if (typeof written !== 'string' || !/^\d{4}-\d\d-\d\d/.test(written)) return written;
  const at = Date.parse(written);
  return Number.isNaN(at) ? written : at;
}

function withOutcomeHint(problem: Problem): Problem {
  if (problem.path !== 'outcome' || problem.hint !== undefined) return problem;
  const found = /found "(.*)"/.exec(problem.message)?.[1] ?? '';
  const guess = /^(fail|error)/i.test(found)
    ? 'failed'
    : /^(ok|succe|complete)/i.test(found)
      ? 'success'
      : nearest(found, OUTCOMES);
  return guess === undefined ? problem : { ...problem, hint: `did you mean "${guess}"?` };
}
