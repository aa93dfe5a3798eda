import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { slotsId } from '#contract/ids.js';
import type { RemediationResult } from '#contract/remediation.js';
import { type BridgeServer, startBridgeServer } from '../support/bridge-server.js';
import { eventually } from '../support/eventually.js';
import { type HttpTarget, startHttpTarget } from '../support/http-target.js';
import { startMeshWorkerProcess } from '../support/mesh-worker-process.js';
import { tempFolder } from '../support/temp-folder.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';

// A worker is killed while each kind of action waits for its next attempt. What is aborted then is not tried by the next worker.

const FAILED = { event: 'PostToolUseFailure', outcome: 'failed' } as const;
const GONE = 'ev-gone';
const KEPT = 'ev-kept';
const RETRY = { retry: { maxAttempts: 10, initialIntervalMs: 3_000, maxIntervalMs: 3_000 } };
const ACTIONS = {
  program: { type: 'spawn_fallback_agent', agentType: 'program', await: 'finished', ...RETRY },
  service: { type: 'spawn_fallback_agent', agentType: 'service', ...RETRY },
  message: { type: 'notify_team', ...RETRY },
  capacity: { type: 'warm_remote_capacity', ...RETRY },
};
type Kind = keyof typeof ACTIONS;
const KINDS = Object.keys(ACTIONS) as Kind[];

/** Fails until its folder has a file `open`. */
const PROGRAM = `echo "$MESH_EVENT_ID" >> ran; test -e open`;

test('an abort that no worker hears keeps the next one from trying again', { timeout: 120_000 }, async () => {
  const receivers = await startReceivers();
  const mesh = await meshWith(receivers);
  const worker = await startMeshWorkerProcess(mesh);
  onTestFinished(() => worker.kill());
  await mesh.report({ ...FAILED, id: GONE, payload: { n: 1 } }, { ...FAILED, id: KEPT, payload: { n: 2 } });
  await Promise.all([GONE, KEPT].flatMap((event) => KINDS.map((kind) => failedAttempt(mesh, kind, event))));

  await worker.kill();
  await Promise.all(KINDS.map((kind) => mesh.mesh.abort(mesh.remediation(kind, GONE).workflowId)));
  await forgetKilled(mesh);
  const before = await receivers.arrivals();
  await receivers.open();
  await mesh.startWorker();

  const ends = await Promise.all(KINDS.map((kind) => mesh.result(kind, GONE)));
  const kept = await Promise.all(KINDS.map((kind) => mesh.result(kind, KEPT)));
  expect(Object.fromEntries(ends.map(endOf))).toEqual({
    program: ['aborted', ABORTED],
    service: ['aborted', ABORTED],
    message: [
      'aborted',
      expect.stringMatching(/^not delivered to ops by hook: aborted (while it ran|between two attempts)/),
    ],
    capacity: ['aborted', ABORTED],
  });
  expect(kept.map(({ outcome }) => outcome)).toEqual(KINDS.map(() => 'executed'));
  const after = await receivers.arrivals();
  for (const kind of KINDS) {
    expect([kind, ...after[kind].slice(before[kind].length)]).toEqual([kind, KEPT]);
  }
});

/** Which of the two, depends on whether the workflow or the attempt is first. */
const ABORTED = expect.stringMatching(
  /^aborted (while it ran|before it started|between two attempts(, or before the first)?)$/,
) as string;

/**
 * For ten seconds the server keeps for the worker that was killed what is to be told to a workflow. Slots are answered for at
 * once, so that attempts come to what they are about before their remediations can take them back.
 */
async function forgetKilled({ client, taskQueue }: TestMesh): Promise<void> {
  const { namespace } = client.options;
  for (const launcher of ['program', 'service']) {
    await client.workflowService.resetStickyTaskQueue({
      namespace,
      execution: { workflowId: slotsId(taskQueue, launcher) },
    });
  }
}

interface Receivers {
  /** `mesh.yaml` that leads to them. */
  config: unknown;
  /** For which event each of them was asked for something, in order. */
  arrivals(): Promise<Record<Kind, string[]>>;
  /** From now on they take what comes. */
  open(): Promise<void>;
}

async function startReceivers(): Promise<Receivers> {
  const folder = tempFolder();
  const secretFile = join(folder, 'signing.key');
  await writeFile(secretFile, SECRET);
  const [service, hook, bridge] = await Promise.all([startHttpTarget(), startHttpTarget(), startBridgeServer()]);
  onTestFinished(async () => void (await Promise.all([service.close(), hook.close(), bridge.close()])));
  for (const target of [service, hook]) target.answer({ status: 503 });
  bridge.script.push(...Array.from({ length: 100 }, () => ({ status: 503 })));
  return {
    config: {
      agents: {
        program: { command: ['sh', '-c', PROGRAM], cwd: folder },
        service: { http: { url: service.url } },
      },
      teams: {
        ops: {
          members: [{ name: 'ada' }],
          channels: [{ type: 'webhook', name: 'hook', url: hook.url, secret: `\${file:${secretFile}}` }],
        },
      },
      notify: { defaultTeam: 'ops' },
      ...bridge.config,
    },
    arrivals: async () => ({
      program: (await readFile(join(folder, 'ran'), 'utf8')).trim().split('\n'),
      service: eventsOf(service),
      message: eventsOf(hook),
      capacity: eventsOf(bridge),
    }),
    async open() {
      await writeFile(join(folder, 'open'), '');
      service.answer({ body: '{"launched": true}' });
      hook.answer({});
      bridge.script.length = 0;
    },
  };
}

const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`;

/** Everybody who is asked is told the remediation or the key of the action, which name the event. */
function eventsOf({ requests }: Pick<HttpTarget | BridgeServer, 'requests'>): string[] {
  return requests.map((request) => /ev-(gone|kept)/.exec(JSON.stringify(request))?.[0] ?? 'none');
}

async function meshWith({ config }: Receivers): Promise<TestMesh> {
  const rules = KINDS.map((kind) => ({
    id: kind,
    trigger: { event: FAILED.event },
    cooldownMs: 0,
    actions: [{ id: kind, ...ACTIONS[kind] }],
  }));
  const mesh = await startTestMesh({ rules: { rules }, config, withoutWorker: true });
  onTestFinished(() => mesh.stop());
  return mesh;
}

/** The server knows of it without the worker. */
function failedAttempt(mesh: TestMesh, rule: string, event: string): Promise<true> {
  return eventually(`a failed attempt of ${rule} for ${event}`, async () => {
    const { retrying } = await mesh.mesh
      .remediation(mesh.remediation(rule, event).workflowId)
      .catch(() => ({}) as never);
    return retrying ? true : undefined;
  });
}

function endOf({ outcome, actions: [action] }: RemediationResult): [string | undefined, (string | undefined)[]] {
  return [action?.action, [outcome, action?.reason]];
}
