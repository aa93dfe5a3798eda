import type { z } from 'zod';
import { MeshEvent } from '#contract/event.js';
import { remediationId } from '#contract/ids.js';
import { ACTION_STATUSES } from '#contract/views/actions.js';
import { oneOf, strict } from '#contract/text/schema-words.js';
import { PAGE_QUERY, short } from '../page-query.js';
import { readEmptyBody } from '../read-request.js';
import { type Call, route } from '../route.js';
import { NoBody, RemediationDetail, RemediationPage, RemediationRef, Retried } from '../schemas/index.js';

const Name = strict({ rule: short(600).describe('Rule id.'), event: MeshEvent.shape.id });
type Name = z.output<typeof Name>;

/** Always of the tenant of the token: what belongs to another cannot even be named. */
function idFrom({ params, principal }: Call<Name>): string {
  return remediationId(principal.tenant, params.rule, params.event);
}

const Filter = strict({
  rule: short(600).optional(),
  outcome: oneOf([...ACTION_STATUSES, 'running']).optional(),
  session: short(200).describe('Found only when it is a plain name: others are not stored in clear.').optional(),
  ...PAGE_QUERY,
});

export const listRemediations = route({
  id: 'listRemediations',
  method: 'GET',
  path: '/v1/remediations',
  role: 'read',
  tag: 'remediations',
  summary: 'List remediations: what runs, then what ended last',
  query: Filter,
  answers: { 200: { what: 'One page.', schema: RemediationPage } },
  problems: ['not-found', 'not-taken', 'unavailable'],
  async handle({ query, principal }, { mesh }) {
    return { status: 200, body: await mesh.remediations({ ...query, tenant: principal.tenant }) };
  },
});

export const getRemediation = route({
  id: 'getRemediation',
  method: 'GET',
  path: '/v1/remediations/:rule/:event',
  role: 'read',
  tag: 'remediations',
  summary: 'One remediation: the event, what was planned, and what each action has come to',
  params: Name,
  answers: { 200: { what: 'The remediation.', schema: RemediationDetail } },
  problems: ['not-found', 'not-taken', 'unavailable'],
  async handle(call, { mesh }) {
    return { status: 200, body: await mesh.remediation(idFrom(call)) };
  },
});

export const abortRemediation = route({
  id: 'abortRemediation',
  method: 'POST',
  path: '/v1/remediations/:rule/:event/abort',
  role: 'operate',
  tag: 'remediations',
  summary: 'End a running remediation: what runs is ended, what waits is not started',
  params: Name,
  bodies: { 'application/json': NoBody },
  isBodyOptional: true,
  answers: { 202: { what: 'Asked for. It ends within seconds.', schema: RemediationRef } },
  problems: ['invalid-request', 'not-found', 'conflict', 'not-taken', 'unavailable'],
  async handle(call, { mesh }) {
    readEmptyBody(call.body);
    const id = idFrom(call);
    await mesh.abort(id);
    return { status: 202, body: { id } };
  },
});

export const retryRemediation = route({
  id: 'retryRemediation',
  method: 'POST',
  path: '/v1/remediations/:rule/:event/retry',
  role: 'operate',
  tag: 'remediations',
  summary: 'Run the failed actions of a failed remediation again, with the same effect keys',
  params: Name,
  bodies: { 'application/json': NoBody },
  isBodyOptional: true,
  answers: { 202: { what: 'Started.', schema: Retried } },
  problems: ['invalid-request', 'not-found', 'conflict', 'not-taken', 'unavailable'],
  async handle(call, { mesh }) {
    readEmptyBody(call.body);
    const id = idFrom(call);
    return { status: 202, body: { id, ...(await mesh.retry(id)) } };
  },
});
