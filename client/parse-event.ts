import { MeshEvent, OUTCOMES } from '#contract/event.js';
import { CANONICAL, readFacts, type Spelling } from '#contract/facts.js';
import { DEFAULT_TENANT } from '#contract/names.js';
import { strict } from '#contract/text/schema-words.js';
import { nearest } from '#contract/text/nearest.js';
import { type Problem, problemsOf } from '#contract/text/problem.js';
import type { Redactor } from '#contract/text/redact/redact.js';
import { DIALECT_NAMES, DIALECTS } from '#rules/dialects/index.js';
import type { EventDefaults } from './event-input.js';
import { preparePayload } from './prepare-payload.js';

export type ParsedEvent = { ok: true; event: MeshEvent } | { ok: false; problems: Problem[] };

/**
 * Checks one reported event, fills in what is absent, takes secrets out and cuts long texts. Strict: a misspelt field is an
 * error, not a lost fact.
 */
export function parseEvent(input: unknown, defaults: EventDefaults, redactor: Redactor): ParsedEvent {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return {
      ok: false,
      problems: [{ path: '', message: 'expected an event object', expected: 'an object with `event`' }],
    };
  }
  const { dialect, ...filled } = fillIn(input, defaults);
  const parsed = ReportedEvent.safeParse(filled);
  const found = parsed.success
    ? []
    : problemsOf(parsed.error, filled).map((one) => withOutcomeHint(one, filled['outcome']));
  const spelling = spellingOf(dialect);
  if (!parsed.success || 'problem' in spelling) {
    return refuse([...found, ...('problem' in spelling ? [spelling.problem] : [])], redactor);
  }
  // The payload as it was given: zod silently leaves out a key named __proto__, which is to be refused.
  const prepared = preparePayload(filled['payload'] as Record<string, unknown>, redactor);
  const problems = [...secretsInNames(parsed.data, redactor), ...(prepared.ok ? [] : prepared.problems)];
  if (!prepared.ok || problems.length > 0) return refuse(problems, redactor);
  const { payload, truncated } = prepared;
  const event = { ...withoutSecrets(parsed.data, redactor), payload, ...(truncated && { truncated }) };
  const facts = readFacts(event, spelling);
  return { ok: true, event: { ...event, ...(Object.keys(facts).length > 0 && { facts }) } };
}

/** Facts are what the payload says, as the door reads it: nobody can say other ones. */
const { facts: _facts, ...reported } = MeshEvent.shape;
const ReportedEvent = strict(reported);

function spellingOf(dialect: unknown): Spelling | { problem: Problem } {
  if (dialect === undefined) return CANONICAL;
  const known = typeof dialect === 'string' && Object.hasOwn(DIALECTS, dialect) ? DIALECTS[dialect] : undefined;
  if (known) return known.spelling ?? CANONICAL;
  const expected = `one of ${DIALECT_NAMES.join(', ')}`;
  return { problem: { path: 'dialect', message: `is no dialect that is known: expected ${expected}`, expected } };
}

/** Problems name keys and quote what was found: whoever logs them must not log a secret. */
function refuse(problems: Problem[], redactor: Redactor): ParsedEvent {
  const clean = problems.map((problem) => ({
    ...problem,
    path: redactor.text(problem.path),
    message: redactor.text(problem.message),
  }));
  return { ok: false, problems: clean };
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
    ...(defaults.requestId !== undefined && { requestId: defaults.requestId }),
    ...given,
    ...withToken(given['lineage'], defaults.lineage?.token),
    ...(session !== undefined && { session }),
    payload,
    id,
    occurredAt: instant(occurredAt),
  };
}

/** Who names its chain itself is still the agent that was given the token. */
function withToken(lineage: unknown, token: string | undefined): { lineage?: object } {
  if (typeof lineage !== 'object' || lineage === null || Array.isArray(lineage) || token === undefined) return {};
  return { lineage: { token, ...lineage } };
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

/**
 * Names are stored in clear and cannot be changed without becoming others: one that is a token by its look is refused. What
 * stands beside a word such as `token:` is none: `auth.token:refreshed` is a good name.
 */
function secretsInNames({ id, event, tenant, lineage }: MeshEvent, redactor: Redactor): Problem[] {
  const names = { id, event, tenant, 'lineage.root': lineage?.root, 'lineage.parent': lineage?.parent };
  return Object.entries(names).flatMap(([path, text = '']) =>
    redactor.shapes(text) === text
      ? []
      : [{ path, message: 'holds what looks like a secret', hint: 'use another name' }],
  );
}

function withoutSecrets(event: MeshEvent, redactor: Redactor): MeshEvent {
  const clean = { ...event };
  for (const name of ['session', 'agent', 'source', 'requestId'] as const) {
    const text = event[name];
    if (text !== undefined) clean[name] = redactor.text(text);
  }
  return clean;
}

function withOutcomeHint(problem: Problem, found: unknown): Problem {
  if (problem.path !== 'outcome' || problem.hint !== undefined || typeof found !== 'string') return problem;
  const guess = /^(fail|error)/i.test(found)
    ? 'failed'
    : /^(ok|succe|complete)/i.test(found)
      ? 'success'
      : nearest(found, OUTCOMES);
  return guess === undefined ? problem : { ...problem, hint: `did you mean "${guess}"?` };
}
