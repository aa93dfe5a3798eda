import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { GatewayLog } from './gateway-deps.js';
import type { GatewayMetrics } from './gateway-metrics.js';
import { visitOf } from './visit.js';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** The caller did not wait for the answer. Other servers use this number too. */
const CLIENT_GONE = 499;

/** Counts and logs every request once it is over. Bodies, headers and addresses stay out. */
export function logAccess(app: FastifyInstance, metrics: GatewayMetrics, log: GatewayLog): void {
  app.addHook('onResponse', async (request, reply) => note(request, reply.statusCode));
  // A caller that goes away before the answer gets none, so `onResponse` is never called.
  app.addHook('onRequest', async (request, reply) => {
    reply.raw.once('close', () => note(request, CLIENT_GONE));
  });

  function note(request: FastifyRequest, status: number): void {
    const visit = visitOf(request);
    if (visit.isNoted) return;
    visit.isNoted = true;
    const { admitted, events, refusal, cameAt } = visit;
    const elapsedMs = performance.now() - cameAt;
    const method = METHODS.has(request.method) ? request.method : 'other';
    const route = patternOf(request);
    metrics.requests.inc({ method, route, status: String(status) });
    metrics.durations.observe({ route }, elapsedMs / 1_000);
    if (refusal) metrics.refused.inc({ code: refusal.code });
    const ms = Math.round(elapsedMs * 10) / 10;
    const known = { tenant: admitted?.principal.tenant || undefined, events, code: refusal?.code };
    log.info({ method, route, status, ms, requestId: request.id, ...known }, 'request');
  }
}

/** Patterns only: addresses hold ids, and any caller can make up new ones. */
function patternOf(request: FastifyRequest): string {
  return request.is404 ? '(none)' : (request.routeOptions.url ?? '(none)');
}
