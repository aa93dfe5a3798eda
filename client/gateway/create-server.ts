import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { createRedactor } from '#contract/text/redact/redact.js';
import { answerProblem } from './answer-problem.js';
import type { GatewayDeps, GatewayLimits } from './gateway-deps.js';
import type { GatewayMetrics } from './gateway-metrics.js';
import { GatewayProblem } from './gateway-problem.js';
import type { ProblemCode } from './problem-codes.js';
import { requestIdOf } from './visit.js';

/** How often Node looks for requests that take too long. Its default would let them have half a minute more. */
const CHECK_CONNECTIONS_EVERY_MS = 500;
/** Rule ids in an address may be encoded in full. */
const MAX_PARAM_CHARS = 4_000;

/** The HTTP server with its limits, and with our answers where Fastify or Node would give theirs. */
export function createServer(
  deps: GatewayDeps,
  limits: GatewayLimits,
  metricsOf: () => GatewayMetrics,
): FastifyInstance {
  const known = createRedactor();
  const refused = (request: FastifyRequest, reply: FastifyReply, error: unknown) =>
    answerProblem(error, request, reply, deps.log, known);

  return Fastify({
    logger: false,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestWithinMs,
    keepAliveTimeout: limits.keepAliveMs,
    // Longer than any answer takes: this is for connections on which nothing moves at all.
    connectionTimeout: limits.keepAliveMs + limits.requestWithinMs,
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersWithinMs,
      requestTimeout: limits.requestWithinMs,
      connectionsCheckingInterval: CHECK_CONNECTIONS_EVERY_MS,
    },
    routerOptions: { maxParamLength: MAX_PARAM_CHARS },
    // While it stops, the gateway answers itself.
    return503OnClosing: false,
    genReqId: (request) => requestIdOf(request.headers['x-request-id'], known, deps.makeId),
    frameworkErrors(error, request, reply) {
      // Before routing, no hook has run and none will.
      metricsOf().refused.inc({ code: 'malformed-http' });
      void refused(request, reply, error);
    },
    clientErrorHandler(error, socket) {
      const code = refuseRaw(error, socket, deps.makeId);
      if (code === undefined) return;
      metricsOf().refused.inc({ code });
      deps.log.info({ code, reason: error.code }, 'refused before it was a request');
    },
  });
}

/** Answers what never became a request, in the form of every other error, and ends the connection. */
function refuseRaw(error: { code?: string }, socket: Socket, makeId: () => string): ProblemCode | undefined {
  if (GONE.has(error.code) || socket.destroyed) {
    socket.destroy();
    return undefined;
  }
  const code = CODES[error.code ?? ''] ?? 'malformed-http';
  const problem = new GatewayProblem(code);
  const requestId = makeId();
  const body = JSON.stringify(problem.toJson(requestId));
  const head = [
    `HTTP/1.1 ${problem.status} ${problem.title}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Connection: close',
  ].join('\r\n');
  if (socket.writable) socket.end(`${head}\r\n\r\n${body}`, () => socket.destroy());
  else socket.destroy();
  return code;
}

/** The caller hung up, maybe in the middle of a request. Nobody is there to be answered. */
const GONE = new Set<string | undefined>(['ECONNRESET', 'EPIPE', 'HPE_INVALID_EOF_STATE']);

const CODES: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
};
