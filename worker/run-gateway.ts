import { readConnection } from '#client/connection.js';
import { readSettings, type Settings } from '#contract/settings.js';
import { ExplainedError } from './explained-error.js';
import { createConsoleLog, openGatewayLog } from './logs.js';
import { keepHeapsSmall } from './keep-heaps-small.js';
import { makeSources } from './make-sources.js';
import { startGateway } from './start-gateway.js';
import { stopRequest } from './stop-request.js';

/** After everything was asked to end: what still holds the process by then is not worth waiting for. */
const END_WITHIN_MS = 4_800;

/** `mesh gateway`: the gateway in a process of its own, until it is told to end. */
export async function runGateway(): Promise<void> {
  keepHeapsSmall();
  const { settings } = readSettings(process.env);
  if (!hasPort(settings)) throw new ExplainedError('MESH_GATEWAY_PORT is off: give it a port, such as 7280.');
  const stopping = stopRequest(say);
  const log = openGatewayLog(settings);
  const consoleLog = createConsoleLog(log, say);
  const connection = readConnection(settings, process.env);
  const sources = makeSources(settings, consoleLog);
  const gateway = await startGateway({ settings, env: process.env, connection, sources, log });
  say(`Gateway   ${gateway.url} (docs at /docs; ${gateway.admits})`);
  say(`Temporal  ${connection.address}, namespace ${connection.namespace}`);
  say('Ctrl-C stops it.');
  consoleLog.showNews();
  const asked = gateway.mesh.health().then(({ isReachable }) => {
    if (!isReachable) say(`Temporal does not answer at ${connection.address}: requests get 503 until it does.`);
  });
  await Promise.race([stopping, asked.then(() => stopping)]);
  setTimeout(() => process.exit(0), END_WITHIN_MS).unref();
  await gateway.stop();
}

function hasPort(settings: Settings): settings is Settings & { gatewayPort: number } {
  return settings.gatewayPort !== undefined;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
