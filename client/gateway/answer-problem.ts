import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Redactor } from '#contract/text/redact/redact.js';
import { explainError } from './explain-error.js';
import type { GatewayLog } from './gateway-deps.js';
import { visitOf } from './visit.js';

export const PROBLEM_JSON = 'application/problem+json; charset=utf-8';

/** On every answer: it is data, not a page, and not to be kept. */
export const ANSWER_HEADERS: Record<string, string> = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** The one place where an error becomes an answer. What is our own mistake, or Temporal's refusal, is logged whole. */
export function answerProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: GatewayLog,
  redactor: Redactor,
): FastifyReply {
  const problem = explainError(error);
  const visit = visitOf(request);
  visit.refusal = problem;
  const own = visit.redactor ?? redactor;
  if (problem.status === 500 || problem.code === 'not-taken') {
    const report = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const reason = problem.cause instanceof Error ? problem.cause.message : undefined;
    log.error(
      {
        requestId: request.id,
        code: problem.code,
        error: own.text(report),
        ...(reason && { reason: own.text(reason) }),
      },
      'a request failed',
    );
  }
  // Fastify would end the connection, since a body may go on. One that was read to its end does not.
  if (request.raw.complete) reply.removeHeader('connection');
  return reply
    .code(problem.status)
    .headers({ ...ANSWER_HEADERS, 'x-request-id': request.id, ...problem.headers })
    .type(PROBLEM_JSON)
    .send(JSON.stringify(problem.toJson(request.id, own)));
}
