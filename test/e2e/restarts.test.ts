import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { expect, inject, test, type TestContext } from 'vitest';
import { connectMesh, type Mesh } from '../../client/mesh.js';
import { remediationId } from '../../contract/ids.js';
import type { RemediationResult } from '../../contract/remediation.js';
import { type DevServerOptions, freePort, startDevServer } from '../../worker/dev-server.js';
import { writeAgent } from '../support/agent-scripts.js';
import { type BridgeServer, startBridgeServer } from '../support/bridge-server.js';
import { eventually } from '../support/eventually.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { type KillPoint, startWorkerProcess, type WorkerProcess } from '../support/worker-process.js';

// Real processes, ended with SIGKILL. After each kill: one remediation, each effect once, no cooldown cut short.
// Side by side, since most of the time goes by until a kill is noticed: each has a folder, a tenant, a task queue and receivers
// of its own.

const COOLDOWN_MS = 25_000;
/** A dead worker is noticed after the workflow task's 10 s or the heartbeat's; then everything must go on. */
const AFTER_KILL_MS = 60_000;

const warm = { type: 'warm_remote_capacity', id: 'warm' };

test.concurrent.for<[string, KillPoint]>([
  ['between the signal and judging', 'before-match'],
  ['between judging and the start of the remediation', 'before-start'],
  ['when the remediation is started and that is not recorded yet', 'after-start'],
])(
  'a worker killed %s: one remediation, one effect, the cooldown holds',
  { timeout: 90_000 },
  async ([, killPoint], context) => {
    const { bridge, startWorker, report, resultOf, verdictsOn, countRemediations } = await buildSite(context);
    const first = await startWorker([warm], killPoint);
    await report('e-1');
    await first.reachedKillPoint();
    await first.kill();
    await report('e-1');

    await startWorker([warm]);
    const result = await resultOf('e-1');
    await report('e-2');

    expect(result.actions).toMatchObject([{ action: 'warm', status: 'executed' }]);
    expect(await verdictsOn('e-2')).toEqual(['cooldown']);
    expect(await verdictsOn('e-1')).toEqual(['fire', 'duplicate']);
    // The dying worker may have been given the remediation's first task already: then its call comes twice, under one key.
    expect(new Set(bridge.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    await eventually('one remediation in the list', async () => ((await countRemediations()) === 1 ? true : undefined));
  },
);

test.concurrent.for<[string, KillPoint, unknown]>([
  ['bridge', 'after-bridge', warm],
  ['mail server', 'after-mail', { type: 'notify_team', id: 'tell', teamName: 'ops' }],
])(
  'a worker killed after the %s took the action and before that is recorded: again, under the same key',
  { timeout: 90_000 },
  async ([, killPoint, action], context) => {
    const { bridge, mail, startWorker, report, resultOf } = await buildSite(context);
    const first = await startWorker([action], killPoint);
    await report('e-1');
    await first.reachedKillPoint();
    await first.kill();

    await startWorker([action]);
    const result = await resultOf('e-1');

    expect(result.actions).toMatchObject([{ status: 'executed', attempts: 2 }]);
    const keys = [
      ...bridge.requests.map(({ headers }) => headers['idempotency-key']),
      ...mail.mails.map(({ source }) => /^Message-ID: (.*)$/m.exec(source)?.[1]),
    ];
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  },
);

test.concurrent(
  'a worker killed while its agent runs: the left-over agent is ended and one takes its place',
  { timeout: 90_000 },
  async (context) => {
    const { folder, client, tenant, startWorker, report, resultOf } = await buildSite(context);
    const agent = await writeAgent(folder, 'if (runs === 1) setInterval(() => {}, 1000);');
    const spawn = { type: 'spawn_fallback_agent', id: 'agent' };
    const first = await startWorker([spawn], undefined, agent.command);
    await report('e-1');
    const runs = async () =>
      (await readFile(agent.runsFile, 'utf8'))
        .trim()
        .split('\n')
        .filter((line) => line !== '');
    const [run = ''] = await eventually('agent', async () => ((await runs()).length > 0 ? runs() : undefined));
    // The heartbeat that carries the agent's process id must have reached the server.
    await eventually('heartbeat', async () => {
      const { raw } = await client.workflow.getHandle(remediationId(tenant, 'r', 'e-1')).describe();
      const beat = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads?.[0]?.data;
      return beat && Buffer.from(beat).toString().includes('"pid"') ? true : undefined;
    });
    await first.kill();

    await startWorker([spawn], undefined, agent.command);
    const result = await resultOf('e-1');

    expect(result.actions).toMatchObject([{ status: 'executed', attempts: 2 }]);
    const [effectKey, pid] = run.split(' ');
    expect((await runs()).map((line) => line.split(' ')[0])).toEqual([effectKey, effectKey]);
    expect(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).toBe('');
  },
);

test.concurrent(
  'a server killed during a cooldown goes on with it: not a moment shorter',
  { timeout: 120_000 },
  async (context) => {
    // Of its own: the others go on with theirs.
    const options = await ownServer(context);
    let server = await startDevServer(options);
    context.onTestFinished(() => server.stop());
    const { bridge, mesh, tenant, startWorker, report, resultOf, verdictsOn } = await buildSite(
      context,
      server.address,
    );
    await startWorker([warm]);
    await report('e-1');
    await resultOf('e-1');
    const [fired] = await mesh.verdicts('e-1', tenant);
    const firedAt = fired?.at ?? 0;

    process.kill(server.pid, 'SIGKILL');
    await eventually('end of the server', () => (isAlive(server.pid) ? undefined : true));
    server = await startDevServer(options);
    await eventually('status', () => mesh.status(tenant), AFTER_KILL_MS);
    await report('e-2');
    expect(await verdictsOn('e-2')).toEqual(['cooldown']);

    let attempt = 2;
    const firedAgainAt = await eventually(
      'second fire',
      async () => {
        const id = `e-${++attempt}`;
        await report(id);
        const [verdict] = await eventually(`verdict on ${id}`, async () => {
          const verdicts = await mesh.verdicts(id, tenant);
          return verdicts.length > 0 ? verdicts : undefined;
        });
        return verdict?.verdict === 'fire' ? verdict.at : undefined;
      },
      AFTER_KILL_MS,
    );

    expect(firedAgainAt - firedAt).toBeGreaterThanOrEqual(COOLDOWN_MS);
    expect(firedAgainAt - firedAt).toBeLessThan(COOLDOWN_MS + 5_000);
    await resultOf(`e-${attempt}`);
    expect(bridge.requests).toHaveLength(2);
  },
);

interface Site {
  tenant: string;
  folder: string;
  mesh: Mesh;
  client: Client;
  mail: MailServer;
  bridge: BridgeServer;
  startWorker(actions: unknown[], killPoint?: KillPoint, command?: string[]): Promise<WorkerProcess>;
  report(id: string): Promise<void>;
  resultOf(id: string): Promise<RemediationResult>;
  verdictsOn(id: string): Promise<string[]>;
  countRemediations(): Promise<number>;
}

/** All that one test needs, gone when it has finished. */
async function buildSite({ onTestFinished }: TestContext, address = inject('temporalAddress')): Promise<Site> {
  const tenant = `t-${randomBytes(6).toString('hex')}`;
  const taskQueue = `mesh-${tenant}`;
  const folder = await mkdtemp(join(tmpdir(), 'mesh-restarts-'));
  const [mail, bridge] = await Promise.all([startMailServer(), startBridgeServer()]);
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const mesh = await connectMesh({
    connection: { address, namespace: 'default', options: {}, isGiven: true },
    taskQueue,
  });
  let worker: WorkerProcess | undefined;
  onTestFinished(async () => {
    await worker?.stop();
    await Promise.all([mail.close(), bridge.close(), mesh.close(), connection.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  return {
    ...{ tenant, folder, mesh, client, mail, bridge },
    async startWorker(actions, killPoint, command = ['true']) {
      const rules = join(folder, 'rules');
      const config = join(folder, 'mesh.yaml');
      await mkdir(rules, { recursive: true });
      const rule = { id: 'r', trigger: { event: 'TaskCompleted' }, cooldownMs: COOLDOWN_MS, dedupWindowMs: 0, actions };
      await writeFile(join(rules, `${tenant}.json`), JSON.stringify({ rules: [rule] }));
      await writeFile(
        config,
        JSON.stringify({
          agents: { default: { command } },
          teams: { ops: { members: [{ name: 'ada', email: 'ada@example.com' }] } },
          ...bridge.config,
        }),
      );
      worker = await startWorkerProcess({
        address,
        taskQueue,
        folder,
        settings: { rules, config, home: folder, smtpUrl: mail.url },
        ...(killPoint && { killPoint }),
      });
      return worker;
    },
    async report(id) {
      await mesh.report({ id, tenant, event: 'TaskCompleted', outcome: 'failed', payload: { id } });
    },
    async resultOf(id) {
      const handle = client.workflow.getHandle(remediationId(tenant, 'r', id));
      await eventually('remediation', () => handle.describe(), AFTER_KILL_MS);
      return (await handle.result()) as RemediationResult;
    },
    verdictsOn: (id) =>
      eventually(
        `verdict on ${id}`,
        async () => {
          const verdicts = await mesh.verdicts(id, tenant);
          return verdicts.length > 0 ? verdicts.map((one) => (one.verdict === 'fire' ? 'fire' : one.code)) : undefined;
        },
        AFTER_KILL_MS,
      ),
    async countRemediations() {
      const query = `WorkflowType = 'remediate' AND MeshTenant = '${tenant}'`;
      return (await client.workflow.count(query)).count;
    },
  };
}

async function ownServer({ onTestFinished }: TestContext): Promise<DevServerOptions> {
  const folder = await mkdtemp(join(tmpdir(), 'mesh-restarts-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return {
    binary: inject('temporalBinary'),
    port: await freePort(),
    databaseFile: join(folder, 'temporal.db'),
    namespace: 'default',
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
