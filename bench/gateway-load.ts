// How many single events a second the gateway takes, and how soon, beside bare Temporal workflows on the same server in the
// same run. Absolute figures belong to the machine; what counts is the ratio. Gateway and client are processes of their own.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { connectMesh, type Mesh } from '#client/mesh.js';
import { readSettings } from '#contract/settings.js';
import { createWorker } from '#worker/create-worker.js';
import { type DevServer, freePort, startDevServer } from '#worker/dev/dev-server.js';
import { makeWorld } from '#worker/make-world.js';
import { findTemporal } from '#worker/dev/temporal-binary.js';
import type { Load, LoadResult } from './load-client.js';

const BARE_RUNS = 200;
const IN_FLIGHT = 40;
const SECONDS = 30;

Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} } },
});
const folder = await mkdtemp(join(tmpdir(), 'mesh-bench-'));
const binary = await findTemporal({ env: process.env, say: console.error });
const server = await startDevServer({
  binary,
  port: await freePort(),
  databaseFile: join(folder, 'temporal.db'),
  namespace: 'default',
});
let gateway: ChildProcess | undefined;
try {
  await measure(server);
} finally {
  gateway?.kill('SIGKILL');
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measure({ address }: DevServer): Promise<void> {
  const { files, stopWorkers } = await startWorkers(address);
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const mesh = await connectMesh({ connection: { address, namespace: 'default', options: {}, isGiven: true } });
  const url = await startGateway(address, files);
  const bareOnce = (index: number) =>
    client.workflow.execute('bare', { taskQueue: 'bare', workflowId: `bare-${index}` });
  await bareOnce(-1);
  await run({ url, name: 'warm', connections: 50, seconds: 3 });

  const bare = await rate(bareOnce);
  const full = await run({ url, name: 'full', connections: 50, seconds: SECONDS });
  await settled(mesh);
  const calm = await run({ url, name: 'calm', connections: 50, seconds: SECONDS, perSecond: 20 });
  const runsBefore = (await mesh.status()).history.runs;
  const busy = await run({ url, name: 'busy', connections: 100, seconds: SECONDS, perSecond: 500 });
  await settled(mesh);
  const { history, counters } = await mesh.status();

  console.log(
    `machine: ${cpus().length} cores, ${cpus()[0]?.model ?? '?'}; Node ${process.versions.node}; Temporal dev server, file database`,
  );
  console.log(`bare workflow with one activity          ${bare.toFixed(0).padStart(6)}/s`);
  console.log(
    `accepted, single events, 50 connections  ${full.perSecond.toFixed(0).padStart(6)}/s  ${(full.perSecond / bare).toFixed(1)} x bare`,
  );
  row('the same', full);
  row('20/s offered', calm);
  row('500/s offered', busy);
  console.log(`the watch continued as new ${history.runs - runsBefore} times while 500/s were offered`);
  const accepted = full.accepted + calm.accepted + busy.accepted;
  console.log(`accepted in all ${accepted}, judged ${counters.events} with those of the warm-up`);

  await Promise.all([mesh.close(), connection.close(), stopWorkers()]);
}

async function startWorkers(address: string) {
  const settings = {
    ...readSettings({}).settings,
    ...{ rules: join(folder, 'rules.json'), config: join(folder, 'mesh.json'), home: join(folder, 'home') },
  };
  const rule = {
    id: 'cools',
    trigger: { event: 'PostToolUseFailure' },
    cooldownMs: 3_600_000,
    actions: [{ type: 'warm_remote_capacity' }],
  };
  await writeFile(settings.rules, JSON.stringify({ rules: [rule] }));
  await writeFile(settings.config, JSON.stringify({ gateway: { eventsPerSecond: 100_000 } }));
  const world = await makeWorld({
    settings,
    env: process.env,
    log: { info: () => undefined, error: console.error },
    temporalUi: undefined,
  });
  const connection = { address, namespace: 'default', options: {}, isGiven: true };
  const meshWorker = await createWorker({ connection, world });
  const nativeConnection = await NativeConnection.connect({ address });
  const bareWorker = await Worker.create({
    connection: nativeConnection,
    taskQueue: 'bare',
    workflowsPath: fileURLToPath(new URL('bare.js', import.meta.url)),
    activities: { async doNothing() {} },
  });
  const running = Promise.all([meshWorker.run(), bareWorker.run()]);
  return {
    files: { MESH_RULES: settings.rules, MESH_CONFIG: settings.config, MESH_HOME: settings.home },
    async stopWorkers() {
      meshWorker.shutdown();
      bareWorker.shutdown();
      await running;
      await nativeConnection.close();
    },
  };
}

async function startGateway(address: string, files: Record<string, string>): Promise<string> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const program = fileURLToPath(new URL('../../worker/mesh.mjs', import.meta.url));
  gateway = spawn(process.execPath, [program, 'gateway'], {
    env: { ...process.env, ...files, TEMPORAL_ADDRESS: address, MESH_GATEWAY_PORT: String(port) },
    stdio: 'ignore',
  });
  for (let tries = 0; tries < 300; tries++) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.status === 200) return url;
    await wait(100);
  }
  throw new Error('the gateway did not become ready');
}

async function run(load: Load): Promise<LoadResult> {
  const program = fileURLToPath(new URL('load-client.js', import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(load)], { stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse(await text(child.stdout)) as LoadResult;
}

/** Until everything that was accepted is judged, so that one measurement does not carry the next one's load. */
async function settled(mesh: Mesh): Promise<void> {
  for (let before = -1; ;) {
    const { events } = (await mesh.status()).counters;
    if (events === before) return;
    before = events;
    await wait(1_000);
  }
}

async function rate(once: (index: number) => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  let next = 0;
  const lane = async () => {
    while (next < BARE_RUNS) await once(next++);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  return (BARE_RUNS * 1_000) / (performance.now() - begun);
}

function row(what: string, { p50Ms, p99Ms, maxMs, accepted, errors }: LoadResult): void {
  const problems = Object.entries(errors).map(([error, count]) => `${count} x ${error}`);
  const times = [p50Ms, p99Ms, maxMs].map((ms) => `${ms.toFixed(0).padStart(5)} ms`);
  console.log(
    `${what.padEnd(40)} p50${times[0]}  p99${times[1]}  max${times[2]}  ${accepted} accepted, ${problems.join(', ') || 'no error'}`,
  );
}
