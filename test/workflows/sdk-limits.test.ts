import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { connectMesh, type Mesh, NotStoredError } from '#client/mesh.js';
import { type DevServer, type DevServerOptions, freePort, startDevServer } from '#worker/dev/dev-server.js';
import { eventually } from '../support/eventually.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';

// What the SDK does when the server will not take an event now. The server is the tests' own: it takes only so many
// signals into one run, and it is stopped and started.

const SIGNAL_LIMIT = 12;
const rules = {
  defaultCooldownMs: 0,
  defaultDedupWindowMs: 0,
  rules: [{ id: 'r', mode: 'shadow', trigger: { event: 'TaskCompleted' }, actions: [{ type: 'notify_team' }] }],
};

let folder: string;
let serverOptions: DevServerOptions;
let server: DevServer | undefined;
let mesh: TestMesh | undefined;
let other: Mesh | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mesh-limits-'));
  serverOptions = {
    binary: inject('temporalBinary'),
    port: await freePort(),
    databaseFile: join(folder, 'temporal.db'),
    namespace: 'default',
    dynamicConfig: [`history.maximumSignalsPerExecution=${SIGNAL_LIMIT}`],
  };
  server = await startDevServer(serverOptions);
});

afterEach(async () => {
  await other?.close();
  await mesh?.stop();
  other = mesh = undefined;
});

afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

test(
  'a run that takes no more signals delays a report until a worker has begun the next run',
  { timeout: 60_000 },
  async () => {
    const address = server?.address ?? '';
    mesh = await startTestMesh({ rules, address, withoutWorker: true, watch: { maxHistoryEvents: 10 } });
    const { report, status, startWorker, tenant } = mesh;

    // The start of the watch was a signal too.
    for (let index = 1; index < SIGNAL_LIMIT; index++) await report({ id: `e-${index}` });
    const impatient = await connectMesh({
      connection: connectionTo(address),
      taskQueue: mesh.taskQueue,
      // The server must have refused it by then.
      giveUpAfterMs: 3_000,
    });
    other = impatient;
    const refused = await impatient
      .report({ event: 'TaskCompleted', id: 'given-up', tenant })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NotStoredError);
    expect(refused).toMatchObject({ reason: 'unreachable', ids: ['given-up'], storedIds: [] });
    expect((refused as Error).message).toContain('exceeded workflow execution limit for signal events');

    const patient = report({ id: 'late' });
    await startWorker();
    await expect(patient).resolves.toEqual(['late']);
    await eventually('all judged', async () => ((await status()).counters.events === SIGNAL_LIMIT ? true : undefined));
  },
);

test('a report made while the server is down is stored when it comes back in time', { timeout: 60_000 }, async () => {
  mesh = await startTestMesh({ rules, address: server?.address ?? '' });
  const { report, judged, mesh: sdk } = mesh;
  await report({ id: 'before' });
  expect(await judged('before')).toEqual(['r/notify_team:0 shadow']);
  await mesh.stopWorker();

  await server?.stop();
  const late = report({ id: 'late' }, { id: 'later' });
  expect((await sdk.health()).isReachable).toBe(false);
  server = await startDevServer(serverOptions);

  expect(await late).toEqual(['late', 'later']);
  await mesh.startWorker();
  expect(await judged('later')).toEqual(['r/notify_team:0 shadow']);
  expect((await sdk.health()).workers).toBe(1);
});

test(
  'a mesh that need not connect at once starts without a server, says what was not stored, and goes on with one',
  { timeout: 60_000 },
  async () => {
    const port = await freePort();
    const address = `127.0.0.1:${port}`;
    const options: DevServerOptions = {
      ...serverOptions,
      port,
      databaseFile: join(folder, 'second.db'),
      dynamicConfig: [],
    };
    const lazy = await connectMesh({ connection: connectionTo(address), isLazy: true, giveUpAfterMs: 300 });
    other = lazy;
    const event = { event: 'TaskCompleted', id: 'e-1' };

    const begun = Date.now();
    await expect(lazy.report([event, { ...event, id: 'e-2' }])).rejects.toMatchObject({
      code: 'not-stored',
      reason: 'unreachable',
      ids: ['e-1', 'e-2'],
    });
    // Much shorter than a mesh waits that is not told how long.
    expect(Date.now() - begun).toBeLessThan(8_000);

    const second = await startDevServer(options);
    try {
      await eventually('stored', () => lazy.report(event));
    } finally {
      await lazy.close();
      await second.stop();
    }
  },
);

test(
  'closing does not wait for a server that does not answer, and says what was not stored',
  { timeout: 30_000 },
  async () => {
    const address = server?.address ?? '';
    const hasty = await connectMesh({ connection: connectionTo(address), giveUpAfterMs: 60_000 });
    const pid = server?.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    try {
      // Under load it goes on for a moment, and answers.
      await eventually('the stop', async () => isStopped(pid) || undefined);
      const begun = Date.now();
      const report = hasty.report({ event: 'TaskCompleted', id: 'e-1' }).catch((error: unknown) => error);
      const asked = hasty.rearm('some-tenant').catch((error: unknown) => error);
      await hasty.close();
      expect(Date.now() - begun).toBeLessThan(20_000);
      expect(await report).toMatchObject({ code: 'not-stored', reason: 'closed', ids: ['e-1'] });
      expect(await asked).toMatchObject({ code: 'unreachable' });
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  },
);

test('no worker is told apart from no server, and a tenant that cannot be from one that is not there', async () => {
  mesh = await startTestMesh({ rules, address: server?.address ?? '', withoutWorker: true });
  const { mesh: sdk, tenant, report } = mesh;
  await expect(sdk.status(tenant)).rejects.toMatchObject({ code: 'not-found' });
  await expect(sdk.rearm(tenant)).rejects.toMatchObject({ code: 'not-found' });
  await expect(sdk.pause('../x')).rejects.toMatchObject({ code: 'wrong-argument' });
  await report({ id: 'e-1' });
  await expect(sdk.status(tenant)).rejects.toMatchObject({ code: 'no-worker' });
}, 30_000);

function connectionTo(address: string) {
  return { address, namespace: 'default', options: {}, isGiven: true };
}

function isStopped(pid: number): boolean {
  return execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('T');
}
