// Records the histories that every test run replays. Run it, on purpose, when workflow code has changed in a way that old
// histories are not meant to survive: `npm run record-histories`.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { hashTarget } from '#activities/actions/warm-remote-capacity/open-target.js';
import { makeKeepLease } from '#adapters/temporal/create-workflows.js';
import { connectMesh } from '#client/mesh.js';
import { leaseId, remediationId, slotsId, watchId } from '#contract/ids.js';
import { SIGNALS, TASK_QUEUE, WORKFLOW_TYPES } from '#contract/names.js';
import { readSettings } from '#contract/settings.js';
import type { WatchInput } from '#contract/watch.js';
import { createWorker } from '#worker/create-worker.js';
import { freePort, startDevServer } from '#worker/dev/dev-server.js';
import { makeWorld } from '#worker/make-world.js';
import { findTemporal } from '#worker/dev/temporal-binary.js';
import { startBridgeServer } from '../support/bridge-server.js';
import { eventually } from '../support/eventually.js';
import { startHttpTarget } from '../support/http-target.js';
import { BUNDLE } from '../support/paths.js';
import { installQuietRuntime } from '../support/quiet-runtime.js';
import { cleanHistory } from './clean-history.js';
import { HISTORIES } from './histories.js';

installQuietRuntime();
const folder = await mkdtemp(join(tmpdir(), 'mesh-record-'));
const bridge = await startBridgeServer();
const runtime = await startHttpTarget();
runtime.answer((response) => response.writeHead(200).end(JSON.stringify({ launched: true, agentId: 'run-1' })));
const server = await startDevServer({
  binary: await findTemporal({ env: process.env, say: console.error }),
  port: await freePort(),
  databaseFile: join(folder, 'temporal.db'),
  namespace: 'default',
});
const connectionSettings = { address: server.address, namespace: 'default', options: {}, isGiven: true };
const connection = await Connection.connect({ address: server.address });
const client = new Client({ connection });
const mesh = await connectMesh({ connection: connectionSettings });
const rulesFile = join(folder, 'rules', 'default.json');
const quick = { maxAttempts: 3, initialIntervalMs: 50, maxIntervalMs: 50 };
const rule = (id: string, event: string, actions: unknown[], more = {}) => ({
  id,
  trigger: { event },
  actions,
  cooldownMs: 0,
  ...more,
});
const rules = JSON.stringify({
  defaultDedupWindowMs: 0,
  rules: [
    rule('ok', 'Ok', [
      { type: 'spawn_fallback_agent' },
      { type: 'warm_remote_capacity', forMs: 2_000 },
      { type: 'notify_team', teamName: 'ops' },
    ]),
    rule('failed', 'Failed', [
      { type: 'spawn_fallback_agent', agentType: 'fails', retry: quick },
      { type: 'notify_team', teamName: 'none' },
    ]),
    rule('aborted', 'Aborted', [
      { type: 'spawn_fallback_agent', agentType: 'hangs' },
      { type: 'notify_team', teamName: 'ops' },
    ]),
    rule('fallback', 'Fallback', [
      { type: 'spawn_fallback_agent', agentType: 'unlucky', await: 'finished', retry: { ...quick, maxAttempts: 2 } },
      { type: 'notify_team', id: 'praise', teamName: 'ops', onlyIf: 'success' },
      { type: 'notify_team', id: 'wake', teamName: 'ops', onlyIf: 'failed' },
    ]),
    rule('awaited', 'Awaited', [
      { type: 'spawn_fallback_agent', agentType: 'remote', await: 'finished' },
      { type: 'notify_team', teamName: 'ops', onlyIf: 'failed' },
    ]),
    rule('late', 'Late', [
      { type: 'spawn_fallback_agent', agentType: 'remote', await: 'finished', timeoutMs: 500 },
      { type: 'notify_team', teamName: 'ops', onlyIf: 'failed' },
    ]),
    rule('busy', 'Busy', [{ type: 'spawn_fallback_agent', agentType: 'slow' }]),
    rule('quiet', 'Quiet', [{ type: 'notify_team', teamName: 'ops' }], { cooldownMs: 1_000 }),
    rule('retried', 'Retried', [{ type: 'warm_remote_capacity', retry: quick }]),
    rule('guarded', 'Guarded', [{ type: 'warm_remote_capacity' }], {
      cooldownMs: 3_600_000,
      cooldownBy: ['session'],
      dedupWindowMs: 60_000,
    }),
  ],
});
await mkdir(dirname(rulesFile));
await writeFile(rulesFile, 'rules: [broken');
await writeFile(join(dirname(rulesFile), 'idle.json'), '{}');
await writeFile(
  join(folder, 'mesh.yaml'),
  JSON.stringify({
    agents: {
      default: { command: ['true'] },
      fails: { command: ['false'] },
      unlucky: { command: ['false'], fallbacks: ['default'] },
      hangs: { command: ['sleep', '600'] },
      slow: { command: ['sleep', '2'], maxConcurrent: 1 },
      remote: { http: { url: runtime.url } },
    },
    notify: { digest: true },
    teams: {
      ops: {
        members: [
          { name: 'ada', email: 'ada@example.com' },
          { name: 'bob', email: 'bob@example.com' },
        ],
      },
    },
    ...bridge.config,
  }),
);
const worker = await createWorker({
  connection: connectionSettings,
  bundlePath: BUNDLE,
  world: await makeWorld({
    settings: {
      ...readSettings({}).settings,
      rules: dirname(rulesFile),
      config: join(folder, 'mesh.yaml'),
      home: folder,
    },
    env: process.env,
    log: { info: () => undefined, error: () => undefined },
    temporalUi: 'http://temporal.example.com',
  }),
});
const working = worker.run();
// People look while all this happens: what a query changes is part of what a replay must stand.
const isOver = new AbortController();
const looking = lookAllTheTime(isOver.signal);

await startWatch({ tenant: 'default', maxHistoryEvents: 80 });
// A hold, since the rules are broken, that ends when they are mended.
await mesh.report({ id: 'ok-1', event: 'Ok', outcome: 'failed' });
await eventually('hold', async () => (await mesh.status()).held ?? undefined);
await writeFile(rulesFile, rules);
await client.workflow.getHandle(await started('ok', 'ok-1')).result();
const lease = await client.workflow.getHandle(leaseId(TASK_QUEUE, 'env-1')).describe();
await ended(lease.workflowId);
const [cancelledLease, nextLease] = await cancelLeaseWhileAsked();
bridge.script.push({ status: 503 }, { status: 429, headers: { 'retry-after': '1' } });

await ended(await reported('retried', 'Retried'));
await ended(await reported('failed', 'Failed'));
await ended(await reported('fallback', 'Fallback'));
await mesh.report({ id: 'awaited-1', event: 'Awaited', outcome: 'failed' });
const awaited = await started('awaited', 'awaited-1');
await eventually('launch', () => (runtime.requests.length > 0 ? true : undefined));
await mesh.report({ id: 'end-1', event: 'SubagentStop', outcome: 'success', agent: 'run-1' });
await ended(awaited);
await ended(await reported('late', 'Late'));
await mesh.report({ id: 'busy-0', event: 'Busy', outcome: 'failed' });
await running(await started('busy', 'busy-0'));
await ended(await reported('busy', 'Busy'));
await mesh.report([
  { id: 'quiet-1', event: 'Quiet', outcome: 'failed' },
  { id: 'quiet-2', event: 'Quiet', outcome: 'failed' },
]);
await mesh.report({ id: 'aborted-1', event: 'Aborted', outcome: 'failed' });
const aborted = client.workflow.getHandle(await started('aborted', 'aborted-1'));
await running(aborted.workflowId);
await aborted.cancel();
await aborted.result();
const digest = await eventually('digest', async () => {
  for await (const { workflowId } of client.workflow.list({ query: `WorkflowType = 'notice'` })) return workflowId;
  return undefined;
});
await ended(digest);

// Guards over continue-as-new, a pause, a re-arm, a duplicate and an event nobody waits for.
for (let index = 0; index < 24; index++) {
  await mesh.report({
    id: `guarded-${index}`,
    event: 'Guarded',
    outcome: 'failed',
    session: `s-${index % 4}`,
    payload: { index },
  });
  await eventually('verdict', async () => ((await mesh.verdicts(`guarded-${index}`)).length > 0 ? true : undefined));
}
await mesh.pause('default', 'a test');
await mesh.report([
  { id: 'paused-1', event: 'Ok' },
  { id: 'guarded-1', event: 'Guarded' },
]);
await mesh.resume('default');
await mesh.report({ id: 'unmatched-1', event: 'SessionStart' });
await mesh.rearm('default');
await eventually('verdict', async () => ((await mesh.verdicts('unmatched-1')).length > 0 ? true : undefined));
// One that has nothing to keep in mind closes.
await startWatch({ tenant: 'idle', idleCloseMs: 500 });
await ended(watchId('idle'));

await rm(HISTORIES, { recursive: true, force: true });
await mkdir(HISTORIES, { recursive: true });
for (const name of ['ok', 'retried', 'failed', 'aborted', 'fallback', 'awaited', 'late', 'busy']) {
  await save(`remediate-${name}`, remediationId('default', name, `${name}-1`));
}
await save('watch-idle', watchId('idle'));
await save('notice', digest);
await save('lease', lease.workflowId, lease.runId);
await save('lease-cancelled', cancelledLease.workflowId, cancelledLease.runId);
await save('lease-reacquired', nextLease.workflowId, nextLease.runId);
await save('slots', slotsId(TASK_QUEUE, 'slow'));
let runs = 0;
for await (const { workflowId, runId } of client.workflow.list({ query: `WorkflowId = '${watchId('default')}'` })) {
  runs++;
  await save(`watch-run-${runs}`, workflowId, runId);
}
console.log(
  `recorded eight remediations, a notice, three runs of leases, slots, an idle watch and ${runs} runs of a busy one`,
);

isOver.abort();
await looking;
worker.shutdown();
await working;
await mesh.close();
await connection.close();
await server.stop();
await Promise.all([bridge.close(), runtime.close()]);
await rm(folder, { recursive: true, force: true });

async function started(ruleId: string, eventId: string): Promise<string> {
  const id = remediationId('default', ruleId, eventId);
  await eventually(`remediation ${id}`, () => client.workflow.getHandle(id).describe());
  return id;
}

/** With a number to go back to. Who asks while a cancelled lease is given back is kept by a second run, which re-acquires first. */
async function cancelLeaseWhileAsked() {
  const keepLease = makeKeepLease(client, TASK_QUEUE);
  const targetHash = hashTarget({ kind: 'http', url: bridge.url, enabled: true });
  const restorePoint = { originalCount: 1, countsSetByMesh: [2] };
  const asked = { tenant: 'default', environment: 'env-2', ensure: 2, targetHash, restorePoint };
  const handle = client.workflow.getHandle(leaseId(TASK_QUEUE, asked.environment));
  const releases = bridge.releases.length;
  bridge.next('POST /v1/release', { status: 503 });

  await keepLease({ ...asked, untilAt: Date.now() + 600_000, effectKey: 'by-hand/1' });
  const cancelled = await handle.describe();
  await handle.cancel();
  await eventually('release that is refused', () => (bridge.releases.length > releases ? true : undefined));
  await keepLease({ ...asked, untilAt: Date.now() + 1_500, effectKey: 'by-hand/2' });
  await handle.result();
  return [cancelled, await handle.describe()] as const;
}

async function lookAllTheTime(over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    // What is not there yet, or no more, cannot be asked.
    const open = await openWorkflows();
    await Promise.allSettled([mesh.status(), mesh.judgement('ok-1'), ...open.map(look)]);
    await setTimeout(20);
  }
}

async function openWorkflows(): Promise<string[]> {
  const ids: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query: `ExecutionStatus = 'Running'` }))
    ids.push(workflowId);
  return ids;
}

async function look(id: string): Promise<unknown> {
  return client.workflow.getHandle(id).query('__temporal_workflow_metadata');
}

async function startWatch(input: WatchInput): Promise<void> {
  await client.workflow.signalWithStart(WORKFLOW_TYPES.watch, {
    workflowId: watchId(input.tenant),
    taskQueue: 'mesh',
    args: [input],
    signal: SIGNALS.events,
    signalArgs: [[]],
  });
}

/** Reports what fires the rule, and gives the remediation. */
async function reported(ruleId: string, event: string): Promise<string> {
  await mesh.report({ id: `${ruleId}-1`, event, outcome: 'failed', payload: { error: 'it broke' } });
  return started(ruleId, `${ruleId}-1`);
}

async function running(id: string): Promise<void> {
  await eventually(`activity of ${id}`, async () => {
    const { raw } = await client.workflow.getHandle(id).describe();
    return raw.pendingActivities?.length ? true : undefined;
  });
}

/** Well or not. */
async function ended(id: string): Promise<void> {
  await client.workflow
    .getHandle(id)
    .result()
    .catch(() => undefined);
}

async function save(name: string, workflowId: string, runId?: string): Promise<void> {
  const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const clean = cleanHistory(JSON.parse(historyToJSON(history)), { folder });
  await writeFile(join(HISTORIES, `${name}.json`), `${JSON.stringify(clean, null, 1)}\n`);
}
