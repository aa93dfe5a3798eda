import { createHash } from 'node:crypto';
import { z } from 'zod';
import { MeshEvent } from '#contract/event.js';
import { watchId } from '#contract/ids.js';
import { oneOf, strict, wholeNumber } from '#contract/text/schema-words.js';
import { SKIP_CODES } from '#contract/verdict.js';
import { codes } from '#contract/views/words.js';
import { unknownEventNames } from '../../unknown-event-names.js';
import { searchStarted, startedBy } from '../../explain-event.js';
import { GatewayProblem } from '../gateway-problem.js';
import { PAGE_QUERY, short } from '../page-query.js';
import { CLOUD_EVENT, CLOUD_EVENTS, readEvents } from '../read-events.js';
import { route } from '../route.js';
import { Accepted, CloudEvent, CloudEvents, EventAnswer, EventOrEvents, EventPage } from '../schemas/index.js';
import { takeEvents } from '../take-events.js';

export const reportEvents = route({
  id: 'reportEvents',
  method: 'POST',
  path: '/v1/events',
  role: 'report',
  tag: 'events',
  summary: 'Report one event, an array of up to 1,000, or CloudEvents',
  description:
    'Answers once Temporal has stored the events. An array is taken whole or not at all. CloudEvents 1.0 are taken in ' +
    'structured, batch and binary mode (`ce-` headers, data as the body). Whether an event was a copy of an earlier one is ' +
    'for the watch to say: see `GET /v1/events/{id}`.',
  headers: {
    'Idempotency-Key':
      'Becomes the id of a single event that has none, so that a second request is recognised as a copy.',
  },
  bodies: {
    'application/json': EventOrEvents,
    [CLOUD_EVENT]: CloudEvent,
    [CLOUD_EVENTS]: CloudEvents,
  },
  answers: { 202: { what: 'Stored.', schema: Accepted } },
  problems: ['invalid-event', 'invalid-request', 'not-taken', 'unavailable', 'watch-full', 'too-many-waiting'],
  async handle(call, world) {
    const sent = readEvents(call);
    const inputs = withIdempotencyKey(call.headers['idempotency-key'], sent.inputs, sent.isArray);
    const events = await takeEvents({ ...sent, inputs }, call, world);
    const warnings = unknownEventNames(events.map(({ event }) => event));
    const body = { events: events.map(({ id }) => ({ id })), watch: watchId(call.principal.tenant) };
    return { status: 202, body: { ...body, ...(warnings.length > 0 && { warnings }) } };
  },
});

/** The same pattern as `EVENT_ID` of the contract. */
const FITS_AS_ID = /^[\w.:@+=~-]{1,200}$/;
const MAX_CHARS = 500;

/**
 * The id that an `Idempotency-Key` gives an event which has none. A second request with the same key is then a copy of the
 * first, whichever gateway it reaches, and the watch acts on it once.
 */
function withIdempotencyKey(key: string | string[] | undefined, inputs: unknown[], isArray: boolean): unknown[] {
  if (key === undefined) return inputs;
  if (typeof key !== 'string' || !/^[\x20-\x7e]+$/.test(key) || key.trim() === '' || key.length > MAX_CHARS) {
    throw wrong(`expected 1 to ${MAX_CHARS} printable ASCII characters`);
  }
  if (isArray) throw wrong('goes with a single event; give each event of an array an id of its own');
  const [input] = inputs;
  if (typeof input !== 'object' || input === null) return inputs;
  const id = idFromKey(key.trim());
  const own = 'id' in input ? input.id : undefined;
  if (own === undefined) return [{ ...input, id }];
  if (own === id || own === key.trim()) return inputs;
  throw wrong('differs from the id of the event: give only one of them');
}

function idFromKey(key: string): string {
  if (FITS_AS_ID.test(key)) return key;
  return `key-${createHash('sha256').update(key).digest('base64url').slice(0, 32)}`;
}

function wrong(message: string): GatewayProblem {
  return new GatewayProblem('invalid-request', `Idempotency-Key ${message}`, {
    problems: [{ path: 'Idempotency-Key', message }],
  });
}

const Filter = strict({
  session: short(200).optional(),
  tool: short(200).optional(),
  rule: short(600).describe('Events that this rule gave a verdict on.').optional(),
  event: short(128).describe('The name of the event.').optional(),
  verdict: oneOf(['fired', 'skipped']).describe('`fired`: a rule fired. `skipped`: none did.').optional(),
  code: oneOf(codes(SKIP_CODES)).describe('Events with such a skip.').optional(),
  sinceAt: wholeNumber(0, 8_640_000_000_000_000).describe('Judged since then, in epoch milliseconds.').optional(),
  ...PAGE_QUERY,
});

export const listEvents = route({
  id: 'listEvents',
  method: 'GET',
  path: '/v1/events',
  role: 'read',
  tag: 'events',
  summary: 'List events that were judged, the last first: what fired, what did not, and why not',
  description:
    'From the record, which is kept for some days where the workers run. Neither Temporal nor a worker is needed.',
  query: Filter,
  answers: { 200: { what: 'One page.', schema: EventPage } },
  problems: ['not-found', 'no-record'],
  async handle({ query, principal }, { record }) {
    return { status: 200, body: await record.list({ ...query, tenant: principal.tenant }) };
  },
});

export const getEvent = route({
  id: 'getEvent',
  method: 'GET',
  path: '/v1/events/:id',
  role: 'read',
  tag: 'events',
  summary: 'How an event was judged, and which remediations it started',
  params: z.strictObject({ id: MeshEvent.shape.id }),
  answers: { 200: { what: 'The verdicts, and the remediations.', schema: EventAnswer } },
  problems: ['not-found', 'no-worker', 'not-taken', 'unavailable'],
  async handle(call, world) {
    const { id } = call.params;
    const { tenant } = call.principal;
    const judgement = await world.mesh.judgement(id, tenant);
    if (judgement.state === 'unknown') {
      throw new GatewayProblem('not-found', 'the watch has not seen this event, or so long ago that it forgot');
    }
    const isForgotten = judgement.state === 'forgotten';
    const started = isForgotten ? await searchStarted(world.mesh, id, tenant) : startedBy(judgement);
    const remediations = started.map((one) => ({ id: one.id, rule: one.rule }));
    return { status: 200, body: { id, ...judgement, remediations } };
  },
});
