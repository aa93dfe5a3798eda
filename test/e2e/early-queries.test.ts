import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { QUERIES } from '#contract/names.js';
import { eventually } from '../support/eventually.js';
import { startMeshWorkerProcess } from '../support/mesh-worker-process.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';

// A query has waited for a worker that is gone, and a signal has come since. When another worker answers it, the task of the
// signal has not been started, or has been started by the worker that is gone. Whatever is told by then must hold afterwards.

const rules = { rules: [{ id: 'r', trigger: { event: 'TaskCompleted' }, actions: [{ type: 'notify_team' }] }] };

test.concurrent.for(['killed', 'frozen'] as const)(
  'a worker is %s, somebody asks, and the tenant is paused: what is told is what the history says',
  { timeout: 120_000 },
  async (how, { onTestFinished }) => {
    const mesh = await startTestMesh({ rules, withoutWorker: true });
    onTestFinished(() => mesh.stop());
    const first = await startMeshWorkerProcess(mesh, { stops: [] });
    onTestFinished(() => first.kill());
    await mesh.report({ id: 'e-1' });
    await mesh.judged('e-1');
    await setTimeout(500);

    await (how === 'killed' ? first.kill() : first.freeze());
    const ask = () => mesh.watch().query(QUERIES.status);
    const asked = mesh.client.withDeadline(Date.now() + 10_000, () =>
      Promise.allSettled(Array.from({ length: 6 }, ask)),
    );
    await setTimeout(300);
    const pausedAt = Date.now();
    await mesh.mesh.pause(mesh.tenant);
    await mesh.startWorker();

    await asked;
    const told = await pauseOf(mesh);
    await first.kill();
    await mesh.stopWorker();
    await mesh.startWorker();
    const replayed = await pauseOf(mesh);
    expect(told).toBe(replayed);
    expect(told).toBeGreaterThanOrEqual(pausedAt);
  },
);

async function pauseOf({ status }: TestMesh): Promise<number> {
  return eventually(
    'the pause',
    () =>
      status().then(
        ({ paused }) => paused?.sinceAt,
        () => undefined,
      ),
    60_000,
  );
}
