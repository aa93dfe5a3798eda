import type { FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';
import { createAccess, type KnownToken, makeToken } from '#client/gateway/access.js';
import { createGateway } from '#client/gateway/create-gateway.js';
import type { GatewayDeps, GatewayPolicy } from '#client/gateway/gateway-deps.js';
import type { Role } from '#contract/roles.js';
import { createRedactor } from '#contract/text/redact/redact.js';
import { createFakeMesh, type FakeMesh } from './fake-mesh.js';

export interface LogLine {
  level: 'info' | 'warn' | 'error';
  message: string;
  [key: string]: unknown;
}

export interface TestGateway {
  app: FastifyInstance;
  mesh: FakeMesh;
  log: LogLine[];
  /** What `mesh.yaml` says now; a test may change it while the gateway runs. */
  policy: GatewayPolicy;
  /** The clock of the gateway, which stands still unless a test moves it. */
  clock: { now: number };
}

export type TestGatewayOptions = Partial<Omit<GatewayDeps, 'mesh' | 'policy'>> & {
  policy?: Partial<GatewayPolicy>;
  mesh?: Pick<FakeMesh, keyof GatewayDeps['mesh']>;
};

/** A gateway in this process, before a mesh in memory. Without tokens, unless the test gives some. */
export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const fake = createFakeMesh();
  const log: LogLine[] = [];
  const note = (level: LogLine['level']) => (meta: object, message: string) =>
    void log.push({ level, message, ...meta });
  const policy: GatewayPolicy = {
    access: createAccess([]),
    allowedOrigins: new Set(),
    allowedHosts: new Set(),
    eventsPerSecond: 5_000,
    redactor: createRedactor(),
    ...options.policy,
  };
  const clock = { now: 1_800_000_000_000 };
  let made = 0;
  const app = await createGateway({
    record: { list: async () => ({ events: [] }) },
    areRulesValid: async () => true,
    isLoopback: true,
    log: { info: note('info'), warn: note('warn'), error: note('error') },
    now: () => clock.now,
    makeId: () => `made-${++made}`,
    ...options,
    mesh: options.mesh ?? fake,
    policy: { current: async () => policy },
  });
  onTestFinished(() => app.close());
  return { app, mesh: fake, log, policy, clock };
}

/** Tokens as `mesh token new` makes them, by the roles they have. */
export function aToken(tenant: string, roles: readonly Role[], name = tenant): { token: string; known: KnownToken } {
  const { token, sha256 } = makeToken();
  return { token, known: { name, tenant, roles, sha256: [sha256] } };
}
