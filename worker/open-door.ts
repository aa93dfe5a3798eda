import type { ConnectionSettings } from '#client/connection.js';
import { connectMesh } from '#client/mesh.js';
import type { Environment, Settings } from '#contract/settings.js';
import { drainSpool } from './drain-spool.js';
import { openGatewayLog } from './logs.js';
import { createPolicySource } from './gateway-policy.js';
import type { Sources } from './make-sources.js';
import { PortTakenError, startGateway } from './start-gateway.js';

export interface OpenDoorOptions {
  settings: Settings;
  env: Environment;
  connection: ConnectionSettings;
  sources: Sources;
}

/** The way by which events come to a worker that `npm start` runs. */
export interface Door {
  /** For people. */
  description: string;
  close(): Promise<void>;
}

/** The gateway, unless there is to be none or one is there already. What waits in the spool is sent either way. */
export async function openDoor(options: OpenDoorOptions): Promise<Door> {
  const { gatewayPort } = options.settings;
  if (gatewayPort === undefined) return openWithoutGateway(options, 'off (MESH_GATEWAY_PORT)');
  const log = openGatewayLog(options.settings);
  const settings = { ...options.settings, gatewayPort };
  try {
    const { url, admits, stop } = await startGateway({ ...options, settings, log });
    return { description: `${url} (docs at /docs; ${admits})`, close: stop };
  } catch (error) {
    const url = `http://127.0.0.1:${gatewayPort}`;
    if (!(error instanceof PortTakenError) || !(await isMeshGateway(url))) throw error;
    return openWithoutGateway(options, `${url} (was running here already)`);
  }
}

async function openWithoutGateway(options: OpenDoorOptions, description: string): Promise<Door> {
  const { settings, env, connection, sources } = options;
  const log = openGatewayLog(settings);
  const policy = createPolicySource({ settings, env, config: sources.config });
  const mesh = await connectMesh({ env, connection, source: 'hook', isLazy: true, isForOthers: true });
  const draining = drainSpool({ home: settings.home, mesh, policy, log: (line) => log.warn({}, line) });
  return { description, close: async () => void (await Promise.all([draining.stop(), mesh.close()])) };
}

const ANSWER_WITHIN_MS = 2_000;

/** A second worker on the same machine shares the gateway of the first. */
async function isMeshGateway(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    const { service } = (await answer.json()) as { service?: unknown };
    return service === 'remediation-mesh';
  } catch {
    return false;
  }
}
