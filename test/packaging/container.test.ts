import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { connectMesh } from '#client/mesh.js';
import { freePort } from '#worker/dev/dev-server.js';
import { type Container, buildContainer } from '../support/build-container.js';
import { durationMs, readCompose, serviceOf } from '../support/compose.js';
import { eventually } from '../support/eventually.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import type { Finished, Running } from '../support/run-command.js';
import { runIn, startIn } from '../support/start-in.js';

// Without Docker: the steps of the Dockerfile are done in a folder, and what comes out is run with the commands and variables
// of docker-compose.yml, against a real server.

const COMPOSE = readCompose();

let folder: string;
let container: Container;
let mail: MailServer;
let env: Record<string, string>;
let started: Running[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mesh-container-'));
  mail = await startMailServer();
  container = await buildContainer(folder);
  // As docs/containers.md says.
  const config = join(container.folder, 'config', 'mesh.yaml');
  await writeFile(
    config,
    (await readFile(config, 'utf8')).replace('# smtp: ${env:MESH_SMTP_URL}', 'smtp: ${env:MESH_SMTP_URL}'),
  );
  await writeFile(join(folder, 'built'), '');
  env = {
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_NAMESPACE: `container-${randomBytes(4).toString('hex')}`,
    MESH_HOME: join(folder, 'state'),
    MESH_SMTP_URL: mail.url,
  };
  const at = ['--address', inject('temporalAddress'), '--namespace', env['TEMPORAL_NAMESPACE'] ?? ''];
  await runIn(folder, [inject('temporalBinary'), 'operator', 'namespace', 'create', ...at]);
}, 180_000);

afterEach(() => {
  for (const { child } of started)
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  started = [];
});

afterAll(async () => {
  await mail.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts what a service runs, with its own variables, but for those that name another container. */
function start(service: string, command?: string[], instead: Record<string, string> = {}): Running {
  const { command: own = [], environment = {} } = serviceOf(COMPOSE, service);
  const running = startIn(container.folder, command ?? own, {
    ...environment,
    ...env,
    ...instead,
    NODE_ENV: 'production',
  });
  started.push(running);
  return running;
}

/** With the port that was free here in place of the one of the container. */
function checkHealth(service: string, port?: number): Promise<Finished> {
  const command = serviceOf(COMPOSE, service).healthcheck?.test.slice(1) ?? [];
  return start(
    service,
    command.map((word) => word.replace(':7280', `:${port}`)),
  ).finished;
}

async function expectStop(service: string, running: Running): Promise<void> {
  const begun = performance.now();
  running.child.kill('SIGTERM');
  expect((await running.finished).code).toBe(0);
  expect(performance.now() - begun).toBeLessThan(durationMs(serviceOf(COMPOSE, service).stop_grace_period));
}

test('only what needs a real container is left undone', () => {
  expect(container.notDone).toEqual([
    'COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt',
    'RUN install -d -o node -g node /var/lib/mesh',
  ]);
});

test('the container holds the program and nothing that builds or tests it', async () => {
  const inContainer = (path: string) => existsSync(join(container.folder, path));

  expect((await readdir(container.folder)).sort()).toEqual([
    'LICENSE',
    'config',
    'dist',
    'node_modules',
    'package.json',
    'worker',
  ]);
  expect(
    ['dist/workflow-bundle.cjs', 'dist/worker/start.js', 'config/mesh.yaml'].filter((path) => !inContainer(path)),
  ).toEqual([]);
  const tools = ['typescript', 'tsx', 'vitest', 'eslint', 'prettier', '@temporalio/testing'];
  expect(tools.filter((name) => inContainer(`node_modules/${name}`))).toEqual([]);
  expect(await readdir(join(container.folder, 'node_modules/@temporalio/core-bridge/releases'))).toHaveLength(1);
});

test('the server is set up, a worker polls, judges and stops in time', { timeout: 90_000 }, async () => {
  const unset = await start('worker').finished;
  expect(unset).toMatchObject({ code: 1 });
  expect(unset.stderr).toContain('lacks the search attributes');
  expect(await start('mesh-setup').finished).toMatchObject({ code: 0, stderr: '' });

  const before = await checkHealth('worker');
  expect(before.code).toBe(1);
  expect(before.stdout).toMatch(/^no worker of \S+ asked for work within 75 s\n$/);

  const worker = start('worker');
  const healthy = await eventually('healthy worker', async () => {
    const check = await checkHealth('worker');
    return check.code === 0 ? check : undefined;
  });
  expect(healthy).toMatchObject({ stdout: 'polling\n', stderr: '' });
  expect(worker.output().stdout).toContain('through ${env:MESH_SMTP_URL}');

  const mesh = await connectMesh({ env });
  try {
    const { ids } = await mesh.report({
      event: 'TaskCompleted',
      outcome: 'failed',
      payload: { task_subject: 'Build' },
    });
    const judged = await eventually('verdict', async () => {
      const { state, verdicts } = await mesh.judgement(ids[0] ?? '');
      return state === 'judged' ? verdicts : undefined;
    });
    expect(judged.map(({ verdict }) => verdict)).toEqual(['fire', 'fire']);
    await eventually('mails', () => (mail.mails.length === 2 ? true : undefined));
  } finally {
    await mesh.close();
  }

  await expectStop('worker', worker);
});

test('the gateway wants a token, takes events with it and stops in time', { timeout: 60_000 }, async () => {
  const open = await start('gateway').finished;
  expect(open.code).toBe(1);
  expect(open.stderr).toContain('Make a token with `npx mesh token new`');

  const made = await start('gateway', ['node', 'worker/mesh.mjs', 'token', 'new', '--json']).finished;
  const { token, sha256 } = JSON.parse(made.stdout) as { token: string; sha256: string };
  const tokens = [{ name: 'hooks', sha256: [sha256], tenant: 'default', roles: ['report'] }];
  await writeFile(join(folder, 'mesh.yaml'), JSON.stringify({ gateway: { tokens } }));
  const port = await freePort();
  const own = { MESH_CONFIG: join(folder, 'mesh.yaml'), MESH_GATEWAY_PORT: String(port) };
  const gateway = start('gateway', undefined, own);
  await eventually('healthy gateway', async () => ((await checkHealth('gateway', port)).code === 0 ? true : undefined));

  const answer = await fetch(`http://127.0.0.1:${port}/v1/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ id: 'through-the-gateway', event: 'TaskCompleted' }),
  });
  expect(answer.status).toBe(202);
  expect(await answer.json()).toMatchObject({ events: [{ id: 'through-the-gateway' }] });

  await expectStop('gateway', gateway);
  expect((await checkHealth('gateway', port)).code).toBe(1);
});

test('all of that wrote nothing into the container, which is read-only', async () => {
  const { stdout } = await runIn(container.folder, ['find', '.', '-newer', join(folder, 'built')]);

  expect(stdout).toBe('');
});
