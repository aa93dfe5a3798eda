import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { QUERIES } from '#contract/names.js';
import type { RemediationProgress } from '#contract/remediation.js';
import { eventually } from '../support/eventually.js';
import { failedResult } from '../support/failed-result.js';
import { isRunning, pidsIn } from '../support/processes.js';
import { tempFolder } from '../support/temp-folder.js';
import { startMeshWorkerProcess } from '../support/mesh-worker-process.js';
import { startTestMesh } from '../support/test-mesh.js';

// What becomes of an agent whose worker is killed, where no attempt follows that could end it.

const EVENT = { event: 'PostToolUseFailure', outcome: 'failed', id: 'e-1' } as const;
/** Neither the agent nor its child minds being asked to end. */
const AGENT = `trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & echo "$$ $!" > pids; while :; do sleep 1; done`;

/** An agent and its child are at work, and then their worker is no more. */
async function killWorker(retry: Record<string, number>) {
  const folder = tempFolder();
  const mesh = await startTestMesh({
    rules: {
      rules: [
        { id: 'r', trigger: { event: EVENT.event }, actions: [{ type: 'spawn_fallback_agent', id: 'a', retry }] },
      ],
    },
    config: { agents: { default: { command: ['sh', '-c', AGENT], cwd: folder } } },
    withoutWorker: true,
  });
  onTestFinished(() => mesh.stop());
  const worker = await startMeshWorkerProcess(mesh);
  onTestFinished(() => worker.kill());
  await mesh.report(EVENT);
  const pids = await eventually('the agent', () => pidsIn(join(folder, 'pids'), 2));
  onTestFinished(async () => {
    for (const pid of pids) if (await isRunning(pid)) process.kill(pid, 'SIGKILL');
  });
  await eventually('the agent in the record', async () => {
    const { actions } = await mesh.remediation('r', EVENT.id).query<RemediationProgress>(QUERIES.progress);
    return actions[0]?.agent;
  });

  await worker.kill();

  const allGone = async () => !(await Promise.all(pids.map(isRunning))).includes(true) || undefined;
  return { mesh, goneInTime: eventually('the end of the agent and its child', allGone) };
}

test('the agent of a last attempt does not outlive its worker', { timeout: 60_000 }, async () => {
  const { mesh, goneInTime } = await killWorker({ maxAttempts: 1 });

  await goneInTime;
  await mesh.startWorker();

  const { actions } = await failedResult(mesh.remediation('r', EVENT.id).result());
  expect(actions).toMatchObject([{ status: 'failed', reason: 'the worker that ran it stopped responding' }]);
});

test(
  'an agent that is aborted after the end of its worker does not outlive that either',
  { timeout: 60_000 },
  async () => {
    const { mesh, goneInTime } = await killWorker({ maxAttempts: 3 });
    const aborting = mesh.remediation('r', EVENT.id).cancel();

    await goneInTime;
    await aborting;
    await mesh.startWorker();

    const { outcome, actions } = await mesh.result('r', EVENT.id);
    expect(outcome).toBe('aborted');
    expect(actions).toMatchObject([
      { status: 'aborted', reason: 'aborted while it ran', agent: { launcher: 'default', outcome: 'failed' } },
    ]);
  },
);
