// How many events a second one watch takes, beside bare Temporal workflows on the same server in the same run. Absolute
// figures belong to the machine; what counts is the ratio.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createRecordWriter, recordFile } from '#adapters/record/record.js';
import { connectMesh } from '#client/mesh.js';
import { remediationId } from '#contract/ids.js';
import { readSettings } from '#contract/settings.js';
import { createWorker } from '#worker/create-worker.js';
import { freePort, startDevServer } from '#worker/dev/dev-server.js';
import { makeWorld } from '#worker/make-world.js';
import { findTemporal } from '#worker/dev/temporal-binary.js';
import { fileURLToPath } from 'node:url';

const BARE_RUNS = 200;
const EVENTS = 20_000;
const FIRED = 200;
const IN_FLIGHT = 40;
/** One after another, with nothing else under way. */
const ALONE = 40;

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
try {
  await measure();
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  const connectionSettings = { address: server.address, namespace: 'default', options: {}, isGiven: true };
  const rules = join(folder, 'rules.json');
  const action = { type: 'warm_remote_capacity' };
  const fires = { id: 'fires', trigger: { event: 'Fires' }, cooldownMs: 0, dedupWindowMs: 0, actions: [action] };
  const cools = { id: 'cools', trigger: { event: 'Cools' }, cooldownMs: 3_600_000, actions: [action] };
  await writeFile(rules, JSON.stringify({ rules: [fires, cools] }));
  await writeFile(join(folder, 'mesh.yaml'), '{}');
  const world = await makeWorld({
    settings: { ...readSettings({}).settings, rules, config: join(folder, 'mesh.yaml'), home: folder },
    env: process.env,
    log: { info: () => undefined, error: console.error },
    temporalUi: undefined,
  });
  const record = createRecordWriter({
    path: recordFile(folder),
    limits: async () => ({ keepMs: Infinity, maxBytes: Infinity }),
    say: console.error,
  });
  const meshWorker = await createWorker({ connection: connectionSettings, world, tell: record.tell });
  const nativeConnection = await NativeConnection.connect({ address: server.address });
  const bareWorker = await Worker.create({
    connection: nativeConnection,
    taskQueue: 'bare',
    workflowsPath: fileURLToPath(new URL('bare.js', import.meta.url)),
    activities: { async doNothing() {} },
  });
  const running = Promise.all([meshWorker.run(), bareWorker.run()]);
  const connection = await Connection.connect({ address: server.address });
  const client = new Client({ connection });
  const mesh = await connectMesh({ connection: connectionSettings });

  const startBare = (index: number) =>
    client.workflow.execute('bare', { taskQueue: 'bare', workflowId: `bare-${index}` });
  await startBare(-1);
  await mesh.report({ id: 'first', event: 'Cools', outcome: 'failed' });
  await untilJudged(1);

  const bare = await rate(BARE_RUNS, () => inParallel(BARE_RUNS, startBare));
  const events = Array.from({ length: EVENTS }, (_, index) => ({
    id: `e-${index}`,
    event: 'Cools',
    outcome: 'failed' as const,
  }));
  const judged = await rate(EVENTS, async () => {
    await mesh.report(events);
    await untilJudged(EVENTS + 1);
  });
  const firing = Array.from({ length: FIRED }, (_, index) => ({
    id: `f-${index}`,
    event: 'Fires',
    outcome: 'failed' as const,
  }));
  const fired = await rate(FIRED, async () => {
    await mesh.report(firing);
    await untilRemediated(FIRED);
  });
  const bareMs = await alone((index) => startBare(BARE_RUNS + index));
  const firedMs = await alone(async (index) => {
    const [id = ''] = (await mesh.report({ id: `alone-${index}`, event: 'Fires', outcome: 'failed' })).ids;
    await remediationOf(id);
  });
  const { history } = await mesh.status();

  console.log(
    `machine: ${cpus().length} cores, ${cpus()[0]?.model ?? '?'}; Node ${process.versions.node}; Temporal dev server, file database`,
  );
  row('bare workflow with one activity', bare, bare);
  row('events taken and judged by one watch, batches of 200', judged, bare);
  row('events fired: remediation run to its end', fired, bare);
  console.log(
    `alone, from the report to the end of the remediation, p50 ${firedMs.toFixed(0)} ms; a bare workflow ${bareMs.toFixed(0)} ms`,
  );
  console.log(`the watch continued as new ${history.runs - 1} times meanwhile`);

  meshWorker.shutdown();
  bareWorker.shutdown();
  await running;
  await record.close();
  await Promise.all([mesh.close(), connection.close(), nativeConnection.close()]);

  async function untilJudged(count: number): Promise<void> {
    while ((await mesh.status()).counters.events < count) await pause(50);
  }

  /** Its start is waited for as its end is: by asking the server again. */
  async function remediationOf(eventId: string): Promise<void> {
    const handle = client.workflow.getHandle(remediationId('default', 'fires', eventId));
    for (;;) {
      try {
        return void (await handle.result());
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        await pause(2);
      }
    }
  }

  async function untilRemediated(count: number): Promise<void> {
    const query = `WorkflowType = 'remediate' AND ExecutionStatus != 'Running'`;
    for (;;) {
      const { count: done } = await client.workflow.count(query);
      if (done >= count) return;
      await pause(100);
    }
  }
}

async function rate(count: number, run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return (count * 1000) / (performance.now() - startedAt);
}

/** In milliseconds: the one in the middle. */
async function alone(run: (index: number) => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let index = 0; index < ALONE; index++) {
    const startedAt = performance.now();
    await run(index);
    took.push(performance.now() - startedAt);
  }
  return took.sort((one, other) => one - other)[ALONE / 2] ?? 0;
}

async function inParallel(count: number, run: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await run(next++);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
}

function row(what: string, perSecond: number, bare: number): void {
  console.log(
    `${what.padEnd(54)} ${perSecond.toFixed(0).padStart(6)}/s  ${(perSecond / bare).toFixed(1).padStart(6)} x bare`,
  );
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
