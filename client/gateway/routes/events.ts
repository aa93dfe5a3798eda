import { z } from 'zod';
import { MeshEvent } from '#contract/event.js';
import { watchId } from '#contract/ids.js';
import { searchStarted, startedBy } from '../../explain-event.js';
import { GatewayProblem } from '../gateway-problem.js';
import { withIdempotencyKey } from '../idempotency-key.js';
import { CLOUD_EVENT, CLOUD_EVENTS, readEvents } from '../read-events.js';
import { route } from '../route.js';
import { Accepted, CloudEvent, CloudEvents, EventAnswer, EventOrEvents } from '../schemas/index.js';
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
    const sent = readEvents(call, world.limits);
    const inputs = withIdempotencyKey(call.headers['idempotency-key'], sent.inputs, sent.isArray);
    const ids = await takeEvents({ ...sent, inputs }, call, world);
    return { status: 202, body: { events: ids.map((id) => ({ id })), watch: watchId(call.principal.tenant) } };
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
