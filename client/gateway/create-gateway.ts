import { createRequire } from 'node:module';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createRedactor } from '#contract/text/redact/redact.js';
import { addRoute } from './add-route.js';
import { answerProblem } from './answer-problem.js';
import { limitConnections } from './connection-limit.js';
import { createServer } from './create-server.js';
import { addDocsPage } from './docs-page.js';
import { createGate } from './gate.js';
import { GATEWAY_LIMITS, type GatewayDeps, type GatewayLog } from './gateway-deps.js';
import { createGatewayMetrics, type GatewayMetrics } from './gateway-metrics.js';
import { GatewayProblem } from './gateway-problem.js';
import { openApiDocument } from './open-api.js';
import { createRateLimits } from './rate-limits.js';
import { remembered } from './remembered.js';
import type { RouteWorld } from './route.js';
import { ROUTES } from './routes/index.js';
import { visitOf } from './visit.js';

/** A probe may come as often as it likes; Temporal is asked once a second. */
const HEALTH_FOR_MS = 1_000;

/** The gateway, whole but for listening. */
export async function createGateway(deps: GatewayDeps): Promise<FastifyInstance> {
  const limits = { ...GATEWAY_LIMITS, ...deps.limits };
  const app = createServer(deps, limits, () => metrics);
  const connections = limitConnections(app.server, limits.connections);
  const metrics: GatewayMetrics = createGatewayMetrics({
    waiting: () => deps.mesh.waiting(),
    spooled: deps.spooled ?? (() => Promise.resolve(0)),
    connections: () => connections.open(),
    startedAt: deps.now() - process.uptime() * 1_000,
  });
  let isStopping = false;
  const document = openApiDocument(ROUTES, packageVersion());
  const world: RouteWorld = {
    ...deps,
    mesh: { ...deps.mesh, health: remembered(() => deps.mesh.health(), HEALTH_FOR_MS, deps.now) },
    areRulesValid: remembered(() => deps.areRulesValid(), HEALTH_FOR_MS, deps.now),
    limits,
    metrics,
    routes: ROUTES,
    openApi: JSON.stringify(document),
    isStopping: () => isStopping,
  };
  const rates = createRateLimits(deps.now);
  const redactor = createRedactor();

  app.decorateRequest('visit', null);
  app.removeAllContentTypeParsers();
  app.addHook('onRequest', createGate({ world, connections, rates }));
  app.addHook('onSend', async (_request, reply) => {
    // A connection that is kept open would keep the process from ending.
    if (isStopping) reply.header('connection', 'close');
  });
  app.addHook('preClose', async () => {
    isStopping = true;
  });
  logAccess(app, metrics, deps.log);
  app.setErrorHandler((error, request, reply) => answerProblem(error, request, reply, deps.log, redactor));
  // The gate refuses what has no route; this is for files of the page at /docs that are not there.
  app.setNotFoundHandler(() => {
    throw new GatewayProblem('not-found');
  });
  for (const entry of ROUTES) addRoute(app, entry, world);
  await addDocsPage(app, document);
  await app.ready();
  return app;
}

/** Asks by the package's own name, which works from the sources and from the compiled files. */
function packageVersion(): string {
  const { version } = createRequire(import.meta.url)('remediation-mesh/package.json') as { version: string };
  return version;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** The caller did not wait for the answer. Other servers use this number too. */
const CLIENT_GONE = 499;

/** Counts and logs every request once it is over. Bodies, headers and addresses stay out. */
function logAccess(app: FastifyInstance, metrics: GatewayMetrics, log: GatewayLog): void {
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
