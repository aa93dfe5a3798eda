import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { createRedactor } from '#contract/text/redact/redact.js';
import { answerProblem } from './answer-problem.js';
import type { GatewayDeps, GatewayLimits } from './gateway-deps.js';
import type { GatewayMetrics } from './gateway-metrics.js';
import { refuseRaw } from './raw-refusal.js';
import { requestIdOf } from './request-id.js';

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
