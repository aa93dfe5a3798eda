import { createRequire } from 'node:module';
import type { FastifyInstance } from 'fastify';
import { createRedactor } from '#contract/text/redact/redact.js';
import { logAccess } from './access-log.js';
import { addRoute } from './add-route.js';
import { answerProblem } from './answer-problem.js';
import { limitConnections } from './connection-limit.js';
import { createServer } from './create-server.js';
import { addDocsPage } from './docs-page.js';
import { createGate } from './gate.js';
import { GATEWAY_LIMITS, type GatewayDeps } from './gateway-deps.js';
import { createGatewayMetrics, type GatewayMetrics } from './gateway-metrics.js';
import { GatewayProblem } from './gateway-problem.js';
import { openApiDocument } from './open-api.js';
import { createRateLimits } from './rate-limits.js';
import { remembered } from './remembered.js';
import type { RouteWorld } from './route.js';
import { ROUTES } from './routes/index.js';

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

/** By the package's own name, which finds it from the sources and from what they are compiled to. */
function packageVersion(): string {
  const { version } = createRequire(import.meta.url)('remediation-mesh/package.json') as { version: string };
  return version;
}
