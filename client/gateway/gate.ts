import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireHost, requirePrincipal, requireUsable } from './admit.js';
import { ANSWER_HEADERS } from './answer-headers.js';
import { preflightHeaders, requireKnownOrigin } from './check-origin.js';
import type { ConnectionLimit } from './connection-limit.js';
import { GatewayProblem } from './gateway-problem.js';
import { methodsOf } from './methods-of.js';
import type { RateLimits } from './rate-limits.js';
import type { RouteWorld } from './route.js';
import { requestIdOf } from './request-id.js';
import { entryOf, visitOf } from './visit.js';

export interface GateParts {
  world: RouteWorld;
  connections: ConnectionLimit;
  rates: RateLimits;
}

/** What every request passes before anything of its body is read. Each step may refuse it. */
export function createGate({ world, connections, rates }: GateParts) {
  return async function passGate(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const { headers } = request;
    const entry = entryOf(request);
    const visit = visitOf(request);
    reply.headers({ ...ANSWER_HEADERS, 'x-request-id': request.id });

    if (world.isStopping() && entry?.path !== '/healthz') throw stopping();
    connections.require(request.raw.socket);
    const policy = (visit.policy = await world.policy.current());
    // What only `mesh.yaml` knows to be a secret could not be seen before.
    request.id = requestIdOf(request.id, policy.redactor, world.makeId);
    reply.header('x-request-id', request.id);
    requireUsable(entry, policy, world.isLoopback);
    requireHost(entry, headers, policy);
    reply.headers(requireKnownOrigin(headers, policy));

    if (request.is404) {
      const methods = methodsOf(request.url, world.routes);
      if (isPreflight(request) && methods.length > 0)
        return reply.code(204).headers(preflight(request, methods)).send();
      throw methods.length > 0
        ? wrongMethod(methods)
        : new GatewayProblem('not-found', 'there is no such route; see /docs');
    }

    const principal = (visit.principal = requirePrincipal(entry, headers, policy.access));
    if (!entry || entry.role === 'none') return undefined;
    const kind = entry.role === 'report' ? 'events' : 'requests';
    rates.requireRoom(
      principal.tenant,
      kind,
      kind === 'events' ? policy.eventsPerSecond : world.limits.requestsPerSecond,
    );
    rates.take(principal.tenant, kind, 1);
    return undefined;
  };
}

function stopping(): GatewayProblem {
  return new GatewayProblem('stopping', undefined, { retryAfterSeconds: 5, headers: { connection: 'close' } });
}

function wrongMethod(methods: string[]): GatewayProblem {
  return new GatewayProblem('method-not-allowed', `this route takes ${methods.join(', ')}`, {
    headers: { allow: methods.join(', ') },
  });
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

function preflight({ headers }: FastifyRequest, methods: string[]): Record<string, string> {
  return preflightHeaders(methods, headers['access-control-request-headers']);
}
