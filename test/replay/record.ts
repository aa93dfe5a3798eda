// Records the histories that every test run replays. Run it, on purpose, when workflow code has changed in a way that old
// histories are not meant to survive: `npm run record-histories`.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { connectMesh } from '../../client/mesh.js';
import { remediationId, watchId } from '../../contract/ids.js';
import { SIGNALS, WORKFLOW_TYPES } from '../../contract/names.js';
import { readSettings } from '../../contract/settings.js';
import type { WatchInput } from '../../contract/watch.js';
import { createWorker } from '../../worker/create-worker.js';
import { freePort, startDevServer } from '../../worker/dev-server.js';
import { makeWorld } from '../../worker/make-world.js';
import { findTemporal } from '../../worker/temporal-binary.js';
import { startBridgeServer } from '../support/bridge-server.js';
import { eventually } from '../support/eventually.js';
import { BUNDLE } from '../support/paths.js';
import { installQuietRuntime } from '../support/quiet-runtime.js';
import { cleanHistory } from './clean-history.js';
import { HISTORIES } from './histories.js';

installQuietRuntime();
const folder = await mkdtemp(join(tmpdir(), 'mesh-record-'));
const bridge = await startBridgeServer();
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
const rulesFile = join(folder, 'rules.json');
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
      { type: 'warm_remote_capacity' },
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
    rule('retried', 'Retried', [{ type: 'warm_remote_capacity', retry: quick }]),
    rule('guarded', 'Guarded', [{ type: 'warm_remote_capacity' }], {
      cooldownMs: 3_600_000,
      cooldownBy: ['session'],
      dedupWindowMs: 60_000,
    }),
  ],
});
await writeFile(rulesFile, 'rules: [broken');
await writeFile(
  join(folder, 'mesh.yaml'),
  JSON.stringify({
    agents: { default: { command: ['true'] }, fails: { command: ['false'] }, hangs: { command: ['sleep', '600'] } },
    teams: {
      ops: {
        members: [
          { name: 'ada', email: 'ada@example.com' },
          { name: 'bob', email: 'bob@example.com' },
        ],
      },
    },
    bridge: { url: bridge.url },
  }),
);
const worker = await createWorker({
  connection: connectionSettings,
  bundlePath: BUNDLE,
  world: makeWorld({
    settings: { ...readSettings({}).settings, rules: rulesFile, config: join(folder, 'mesh.yaml'), home: folder },
    env: process.env,
    log: { info: () => undefined, error: () => undefined },
    temporalUi: 'http://temporal.example.com',
  }),
});
const running = worker.run();

await client.workflow.signalWithStart(WORKFLOW_TYPES.watch, {
  workflowId: watchId('default'),
  taskQueue: 'mesh',
  args: [{ tenant: 'default', maxHistoryEvents: 80, idleCloseMs: 8_000 } satisfies WatchInput],
  signal: SIGNALS.events,
  signalArgs: [[]],
});
// A hold, since the rules are broken, that ends when they are mended.
await mesh.report({ id: 'ok-1', event: 'Ok', outcome: 'failed' });
await eventually('hold', async () => (await mesh.status()).held ?? undefined);
await writeFile(rulesFile, rules);
bridge.script.push(
  { status: 200, body: { warmed: true } },
  { status: 503 },
  { status: 429, headers: { 'retry-after': '1' } },
);
await client.workflow.getHandle(await started('ok', 'ok-1')).result();

await mesh.report({ id: 'retried-1', event: 'Retried', outcome: 'failed' });
await client.workflow.getHandle(await started('retried', 'retried-1')).result();
await mesh.report({ id: 'failed-1', event: 'Failed', outcome: 'failed', payload: { error: 'it broke' } });
await client.workflow
  .getHandle(await started('failed', 'failed-1'))
  .result()
  .catch(() => undefined);
await mesh.report({ id: 'aborted-1', event: 'Aborted', outcome: 'failed' });
const aborted = client.workflow.getHandle(await started('aborted', 'aborted-1'));
await eventually('agent', async () => ((await aborted.describe()).raw.pendingActivities?.length ? true : undefined));
await aborted.cancel();
await aborted.result();

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
await eventually('end of the watch', async () =>
  (await client.workflow.getHandle(watchId('default')).describe()).status.name === 'COMPLETED' ? true : undefined,
);

await mkdir(HISTORIES, { recursive: true });
for (const [name, id] of [
  ['remediate-ok', remediationId('default', 'ok', 'ok-1')],
  ['remediate-retried', remediationId('default', 'retried', 'retried-1')],
  ['remediate-failed', remediationId('default', 'failed', 'failed-1')],
  ['remediate-aborted', remediationId('default', 'aborted', 'aborted-1')],
] as const) {
  await save(name, id);
}
let runs = 0;
for await (const { workflowId, runId } of client.workflow.list({ query: `WorkflowType = 'watch'` })) {
  runs++;
  await save(`watch-run-${runs}`, workflowId, runId);
}
console.log(`recorded four remediations and ${runs} runs of a watch`);

worker.shutdown();
await running;
await mesh.close();
await connection.close();
await server.stop();
await bridge.close();
await rm(folder, { recursive: true, force: true });

async function started(ruleId: string, eventId: string): Promise<string> {
  const id = remediationId('default', ruleId, eventId);
  await eventually(`remediation ${id}`, () => client.workflow.getHandle(id).describe());
  return id;
}

async function save(name: string, workflowId: string, runId?: string): Promise<void> {
  const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const clean = cleanHistory(JSON.parse(historyToJSON(history)), { folder });
  await writeFile(join(HISTORIES, `${name}.json`), `${JSON.stringify(clean, null, 1)}\n`);
}
