import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectMesh, type Mesh } from '#client/mesh.js';
import { freePort } from '#worker/dev/dev-server.js';
import { eventually } from './eventually.js';
import { mailingThrough } from './mail-server.js';
import { type Running, startNode } from './run-command.js';

export interface StartedMesh {
  /** What `npx mesh` needs in its environment to mean this one. */
  env: Record<string, string>;
  gatewayUrl: string;
  mesh: Mesh;
  /** As Ctrl-C does; the state stays. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** All of the mesh as `npm start` runs it: a Temporal server, a worker and the gateway, in a folder of its own. */
export async function startMesh(
  folder: string,
  { rules, config, smtpUrl }: { rules: unknown; config: unknown; smtpUrl: string },
): Promise<StartedMesh> {
  const [port, uiPort, gatewayPort] = [await freePort(), await freePort(), await freePort()];
  const env = {
    MESH_HOME: join(folder, 'mesh'),
    MESH_RULES: join(folder, 'rules.json'),
    MESH_CONFIG: join(folder, 'mesh.yaml'),
    MESH_TEMPORAL_PORT: String(port),
    MESH_UI_PORT: String(uiPort),
    MESH_GATEWAY_PORT: String(gatewayPort),
  };
  await mkdir(folder, { recursive: true });
  await writeFile(env.MESH_RULES, JSON.stringify(rules));
  await writeFile(env.MESH_CONFIG, JSON.stringify(mailingThrough(smtpUrl, config)));
  let running: Running | undefined;

  const start = async () => {
    const started = startNode(['worker/bootstrap.mjs', 'start'], env);
    running = started;
    await eventually(
      'banner of the mesh',
      () => (started.output().stdout.includes('Ctrl-C stops everything') ? true : undefined),
      60_000,
    );
  };
  const stop = async () => {
    running?.child.kill('SIGINT');
    await running?.finished;
    running = undefined;
  };
  await start();
  const mesh = await connectMesh({
    connection: { address: `127.0.0.1:${port}`, namespace: 'default', options: {}, isGiven: true },
  });
  const close = async () => {
    await mesh.close();
    await stop();
  };
  return { env, gatewayUrl: `http://127.0.0.1:${gatewayPort}`, mesh, start, stop, close };
}
