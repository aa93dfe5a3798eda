import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { isLoopbackName } from '#client/gateway/check-caller.js';
import { createGateway } from '#client/gateway/create-gateway.js';
import { GATEWAY_LIMITS, type GatewayLog, type GatewayPolicy } from '#client/gateway/gateway-deps.js';
import { stopGateway } from '#client/gateway/stop-gateway.js';
import type { ConnectionSettings } from '#client/connection.js';
import { openEventRecord } from '#client/event-record.js';
import { connectMesh, type Mesh } from '#client/mesh.js';
import type { RulesetStore } from '#config/ruleset-store.js';
import type { Environment, Settings } from '#contract/settings.js';
import { countSpooled, drainSpool } from './drain-spool.js';
import { ExplainedError } from './explained-error.js';
import { createPolicySource } from './gateway-policy.js';
import type { Sources } from './make-sources.js';

export interface StartGatewayOptions {
  settings: Settings & { gatewayPort: number };
  env: Environment;
  connection: ConnectionSettings;
  sources: Sources;
  log: GatewayLog;
  taskQueue?: string;
}

export interface RunningGateway {
  url: string;
  /** Who may come in, in a few words. */
  admits: string;
  mesh: Mesh;
  /** Refuses new work, finishes what is on its way: in under five seconds. */
  stop(): Promise<void>;
}

/** A little less than the gateway gives it, so that the SDK is the one to say what was stored. */
const GIVE_UP_AFTER_MS = GATEWAY_LIMITS.storeWithinMs - 1_000;

/** The gateway, listening. It starts whether Temporal is there or not. */
export async function startGateway(options: StartGatewayOptions): Promise<RunningGateway> {
  const { settings, env, connection, sources, log, taskQueue } = options;
  const host = settings.gatewayHost === 'localhost' ? '127.0.0.1' : settings.gatewayHost;
  const isLoopback = isLoopbackName(host);
  const policy = createPolicySource({ settings, env, config: sources.config });
  const first = await policy.current();
  if (!isLoopback) requireTokens(first, settings);

  const mesh = await connectMesh({
    ...{ env, connection, source: 'gateway', giveUpAfterMs: GIVE_UP_AFTER_MS, isLazy: true, isForOthers: true },
    ...(taskQueue !== undefined && { taskQueue }),
  });
  const record = openEventRecord(settings.home);
  const app = await createGateway({
    ...{ mesh, record, policy, isLoopback, log, now: Date.now, makeId: randomUUID },
    areRulesValid: async () => areRulesValid(sources.rulesets, (await policy.current()).access.tenants),
    spooled: () => countSpooled(settings.home),
  });
  try {
    await listen(app, settings.gatewayPort, host);
  } catch (error) {
    await Promise.all([app.close(), mesh.close(), record.close()]);
    throw error;
  }
  const draining = drainSpool({ home: settings.home, mesh, policy, log: (line) => log.warn({}, line) });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${settings.gatewayPort}`,
    admits: admits(first),
    mesh,
    stop: () => stopGateway(app, async () => void (await Promise.all([draining.stop(), mesh.close(), record.close()]))),
  };
}

function requireTokens({ access, unusable }: GatewayPolicy, settings: Settings): void {
  if (unusable !== undefined || !access.isOpen) return;
  throw new ExplainedError(
    `MESH_GATEWAY_HOST is ${settings.gatewayHost}, but without tokens the gateway serves only this machine.\n` +
      `Make a token with \`npx mesh token new\` and put its lines into ${settings.config}, or leave MESH_GATEWAY_HOST out.`,
  );
}

async function listen(app: FastifyInstance, port: number, host: string): Promise<void> {
  try {
    await app.listen({ port, host });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new PortTakenError(port);
    const fix = code === 'EACCES' ? 'Set MESH_GATEWAY_PORT to a port above 1023.' : 'Check MESH_GATEWAY_HOST.';
    throw new ExplainedError(`The gateway cannot listen on ${host}, port ${port}: ${message}. ${fix}`, {
      cause: error,
    });
  }
}

export class PortTakenError extends ExplainedError {
  constructor(port: number) {
    super(
      `Port ${port} for the gateway is taken by another program. ` +
        'Set MESH_GATEWAY_PORT to a free port, or to `off` to run without a gateway.',
    );
  }
}

function admits({ access, unusable }: GatewayPolicy): string {
  if (unusable !== undefined) return 'nobody until mesh.yaml is mended';
  if (access.isOpen) return 'no tokens: only this machine, tenant default';
  return `tenants by token: ${access.tenants.join(', ')}`;
}

/** Whether the rules of every tenant can be used just as the files say now. */
async function areRulesValid(rulesets: RulesetStore, tenants: readonly string[]): Promise<boolean> {
  const found = await Promise.all(tenants.map((tenant) => rulesets.get(tenant)));
  return found.every(({ available, problems }) => available && problems.length === 0);
}
