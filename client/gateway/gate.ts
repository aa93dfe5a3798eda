import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Access, ANYONE, NOBODY, type Principal } from './access.js';
import { ANSWER_HEADERS } from './answer-problem.js';
import { preflightHeaders, requireKnownHost, requireKnownOrigin } from './check-caller.js';
import type { ConnectionLimit } from './connection-limit.js';
import { DOCS_PATH } from './docs-page.js';
import type { GatewayPolicy } from './gateway-deps.js';
import { GatewayProblem } from './gateway-problem.js';
import type { LimitKind, RateLimits } from './rate-limits.js';
import { OPEN_TO_PROBES, type Route, type RouteWorld } from './route.js';
import { requestIdOf, visitOf } from './visit.js';

export interface GateParts {
  world: RouteWorld;
  connections: ConnectionLimit;
  rates: RateLimits;
}

/** What every request passes before anything of its body is read. Each step may refuse it. */
export function createGate({ world, connections, rates }: GateParts) {
  return async function passGate(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const { headers } = request;
    const entry = request.is404 ? undefined : request.routeOptions.config.entry;
    const isProbe = entry !== undefined && OPEN_TO_PROBES.has(entry.path);
    const visit = visitOf(request);
    reply.headers({ ...ANSWER_HEADERS, 'x-request-id': request.id });

    if (world.isStopping() && entry?.path !== '/healthz') throw stopping();
    connections.require(request.raw.socket);
    const policy = await world.policy.current();
    // What only `mesh.yaml` knows to be a secret could not be seen before.
    visit.redactor = policy.redactor;
    request.id = requestIdOf(request.id, policy.redactor, world.makeId);
    reply.header('x-request-id', request.id);
    if (!isProbe) {
      requireUsable(policy, world.isLoopback);
      requireKnownHost(headers.host, policy);
    }
    reply.headers(requireKnownOrigin(headers, policy));

    if (request.is404) {
      const methods = methodsOf(request.url, world.routes);
      if (isPreflight(request) && methods.length > 0)
        return reply.code(204).headers(preflight(request, methods)).send();
      throw methods.length > 0
        ? wrongMethod(methods)
        : new GatewayProblem('not-found', 'there is no such route; see /docs');
    }

    const principal = requirePrincipal(entry, headers.authorization, policy.access);
    visit.admitted = { policy, principal, countEvents };
    if (!entry || entry.role === 'none') return undefined;
    const [kind, perSecond]: [LimitKind, number] =
      entry.role === 'report' ? ['events', policy.eventsPerSecond] : ['requests', world.limits.requestsPerSecond];
    rates.requireRoom(principal.tenant, kind, perSecond);
    rates.take(principal.tenant, kind, 1);
    return undefined;

    function countEvents(count: number): void {
      const { eventsPerRequest } = world.limits;
      if (count === 0) throw new GatewayProblem('invalid-event', 'the array is empty: expected at least one event');
      if (count > eventsPerRequest)
        throw new GatewayProblem('too-large', `at most ${eventsPerRequest} events go in one request, found ${count}`);
      visit.events = count;
      // One was taken above, before it was known how many there are.
      rates.take(principal.tenant, 'events', count - 1);
    }
  };
}

function stopping(): GatewayProblem {
  return new GatewayProblem('stopping', undefined, { retryAfterSeconds: 5, headers: { connection: 'close' } });
}

const WITHOUT_TOKENS = 'without tokens in `mesh.yaml` only this machine is served, and the gateway listens beyond it';

/** Whether anything but a probe may call under the present configuration. */
function requireUsable({ unusable, access }: GatewayPolicy, isLoopback: boolean): void {
  const reason = unusable ?? (access.isOpen && !isLoopback ? WITHOUT_TOKENS : undefined);
  if (reason !== undefined) throw new GatewayProblem('config-unavailable', reason, { retryAfterSeconds: 5 });
}

/** The methods that some route takes at this address; none when there is no such route. */
function methodsOf(url: string, routes: readonly Route[]): string[] {
  const path = url.split('?')[0] ?? '';
  const methods = routes.filter((route) => patternOf(route).test(path)).map(({ method }) => method as string);
  if (path === DOCS_PATH) methods.push('GET');
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
}

const patterns = new Map<string, RegExp>();

function patternOf({ path }: Route): RegExp {
  const known = patterns.get(path) ?? new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`);
  patterns.set(path, known);
  return known;
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

/** Who calls. Refuses a caller who may not call this route. */
function requirePrincipal(route: Route | undefined, authorization: string | undefined, access: Access): Principal {
  if (route === undefined || route.role === 'none') return NOBODY;
  if (access.isOpen) return ANYONE;
  const principal = access.find(bearerToken(authorization));
  if (!principal) {
    const hint = authorization === undefined ? 'show a token as `Authorization: Bearer …`' : 'this token is not known';
    throw new GatewayProblem('unauthorized', hint, {
      headers: { 'www-authenticate': 'Bearer realm="remediation-mesh"' },
    });
  }
  if (!principal.roles.includes(route.role)) {
    throw new GatewayProblem('forbidden', `this needs a token with the role ${route.role}`);
  }
  return principal;
}

function bearerToken(authorization: string | undefined): string {
  return /^bearer +([\w.~+/=-]{1,500})$/i.exec(authorization ?? '')?.[1] ?? '';
}
