import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { patientQueries } from '#adapters/temporal/patient-queries.js';
import { connectMesh, type Mesh } from '#client/mesh.js';
import { freePort } from '#worker/dev/dev-server.js';
import type { Receivers } from '../receivers/receivers.js';
import type { Tally } from '../tally.js';
import { keepProcess, type KeptProcess } from './kept-process.js';
import { startGateway, startServer, startWorker } from './programs.js';
import { createRulesOnDisk, type RulesOnDisk, type WrittenRule } from './rules-on-disk.js';

export interface SiteSettings {
  temporalBinary: string;
  /** With the rules that each begins with. */
  tenants: Record<string, readonly WrittenRule[]>;
  workers: number;
  hasGateway: boolean;
}

/** All programs of a mesh, each in a process of its own, in a folder and on ports of their own. */
export interface Site {
  folder: string;
  tenants: readonly string[];
  server: KeptProcess;
  workers: readonly KeptProcess[];
  gateway: KeptProcess | undefined;
  gatewayUrl: string;
  rules: RulesOnDisk;
  mesh: Mesh;
  client: Client;
  /** Asks what it likes at once, as whoever does not come from the mesh. */
  impatientClient: Client;
  /** What a hook of a tenant has in its environment. */
  hookEnv(tenant: string): Record<string, string>;
  tokenOf(tenant: string): string;
  workerLogs: readonly string[];
  /** All programs run, and nobody hurts them. */
  whole(): Promise<void>;
  close(): Promise<void>;
}

const NAMESPACE = 'default';

export async function openSite(settings: SiteSettings, receivers: Receivers, tally: Tally): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'mesh-torture-'));
  const [port, gatewayPort] = [await freePort(), await freePort()];
  const address = `127.0.0.1:${port}`;
  const tenants = Object.keys(settings.tenants);
  const rules = await createRulesOnDisk(join(folder, 'rules'));
  for (const [tenant, begin] of Object.entries(settings.tenants)) await rules.write(tenant, begin);
  const config = join(folder, 'mesh.yaml');
  await writeFile(config, JSON.stringify({ ...receivers.config, gateway: { tokens: tenants.map(tokenEntry) } }));

  const env = (name: string): Record<string, string> => ({
    TEMPORAL_ADDRESS: address,
    MESH_HOME: join(folder, name),
    MESH_RULES: rules.folder,
    MESH_CONFIG: config,
    MESH_GATEWAY_PORT: 'off',
    // The same for all workers, whose homes are not.
    MESH_LINEAGE_KEY: createHash('sha256').update(folder).digest('hex'),
  });
  const databaseFile = join(folder, 'server', 'temporal.db');
  const serverOptions = { binary: settings.temporalBinary, port, databaseFile, namespace: NAMESPACE };
  const opened: { close(): Promise<void> }[] = [];
  const opening = async <T extends { close(): Promise<void> }>(what: Promise<T>): Promise<T> => {
    const one = await what;
    opened.unshift(one);
    return one;
  };
  const close = async () => {
    for (const one of opened) await one.close();
    await rm(folder, { recursive: true, force: true });
  };

  try {
    const server = await opening(keepProcess('server', () => startServer(serverOptions), tally));
    const names = Array.from({ length: settings.workers }, (_, index) => `worker-${index + 1}`);
    const workers: KeptProcess[] = [];
    for (const name of names) workers.push(await opening(keepProcess(name, () => startWorker(env(name)), tally)));
    const gateway = settings.hasGateway
      ? await opening(
          keepProcess(
            'gateway',
            () => startGateway(gatewayPort, { ...env('gateway'), MESH_GATEWAY_PORT: String(gatewayPort) }),
            tally,
          ),
        )
      : undefined;
    const connection = await opening(Connection.connect({ address }));
    const mesh = await opening(
      connectMesh({ env: {}, connection: { address, namespace: NAMESPACE, options: {}, isGiven: true } }),
    );
    await mkdir(join(folder, 'gateway'), { recursive: true });
    const gatewayUrl = `http://127.0.0.1:${gatewayPort}`;
    return {
      ...{ folder, tenants, server, workers, gateway, gatewayUrl, rules, mesh, close },
      client: new Client({ connection, namespace: NAMESPACE, interceptors: { workflow: [patientQueries()] } }),
      impatientClient: new Client({ connection, namespace: NAMESPACE }),
      hookEnv: (tenant) => ({
        TEMPORAL_ADDRESS: address,
        // The spool of hooks is where the gateway looks for what they could not deliver.
        MESH_HOME: join(folder, 'gateway'),
        MESH_GATEWAY_URL: gatewayUrl,
        MESH_TOKEN: tokenOf(tenant),
      }),
      tokenOf,
      workerLogs: names.map((name) => join(folder, name, 'worker.log')),
      async whole() {
        for (const one of [server, ...workers, ...(gateway ? [gateway] : [])]) await one.whole();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function tokenOf(tenant: string): string {
  return `torture-token-of-${tenant}`;
}

function tokenEntry(tenant: string) {
  const sha256 = [createHash('sha256').update(tokenOf(tenant)).digest('hex')];
  return { name: tenant, tenant, sha256, roles: ['report', 'read', 'operate'] };
}
