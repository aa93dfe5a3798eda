import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { MeshActivities } from '#activities/index.js';
import type { SpawnRequest } from '#contract/activities.js';
import { slotsId } from '#contract/ids.js';
import { eventually } from '../support/eventually.js';
import { startMeshWorkerProcess } from '../support/mesh-worker-process.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';
import { tempFolder } from '../support/temp-folder.js';

// The limit of a launcher holds over all workers, and over the end of one.

const EVENT = { event: 'PostToolUseFailure', outcome: 'failed' } as const;

interface Agents {
  mesh: TestMesh;
  /** Where they run. */
  folder: string;
  /** `<event id> <process of the agent>` of every run so far. */
  runs(): Promise<string[][]>;
  /** Agents that found another one at work when they began. */
  overlaps(): Promise<string>;
}

/** A launcher of one agent at a time, for workers that are not there yet. */
async function oneAtATime(then: string): Promise<Agents> {
  const folder = tempFolder();
  const script = [
    'mkdir at-work || echo "$MESH_EVENT_ID" >> overlaps',
    'echo "$MESH_EVENT_ID $$" >> runs',
    then,
    'rmdir at-work',
  ];
  const retry = { maxAttempts: 1_000, initialIntervalMs: 50, maxIntervalMs: 50 };
  const mesh = await startTestMesh({
    rules: {
      defaultCooldownMs: 0,
      defaultDedupWindowMs: 0,
      rules: [{ id: 'r', trigger: { event: EVENT.event }, actions: [{ type: 'spawn_fallback_agent', retry }] }],
    },
    config: { agents: { default: { command: ['sh', '-c', script.join('\n')], cwd: folder, maxConcurrent: 1 } } },
    withoutWorker: true,
  });
  onTestFinished(async () => {
    const slots = mesh.client.workflow.getHandle(slotsId(mesh.taskQueue, 'default'));
    await slots.terminate().catch(() => undefined);
    await mesh.stop();
  });
  const read = (file: string) => readFile(join(folder, file), 'utf8').catch(() => '');
  const lines = async (file: string) => (await read(file)).split('\n').filter(Boolean);
  return {
    mesh,
    folder,
    runs: async () => (await lines('runs')).map((line) => line.split(' ')),
    overlaps: () => read('overlaps'),
  };
}

test('two workers never run two agents at a time where one is allowed', { timeout: 60_000 }, async () => {
  const { mesh, runs, overlaps } = await oneAtATime('sleep 0.3');
  // The server would give all of it to one of them.
  const onlyThose = (worker: string) => (activities: MeshActivities) => ({
    ...activities,
    spawnFallbackAgent: async (request: SpawnRequest) => {
      if (!request.remediation.event.id.startsWith(worker)) throw new Error('that is for the other worker');
      return activities.spawnFallbackAgent(request);
    },
  });
  await Promise.all([mesh.startWorker(onlyThose('a')), mesh.startWorker(onlyThose('b'))]);
  const ids = ['a-1', 'b-1', 'a-2', 'b-2'];

  await mesh.report(...ids.map((id) => ({ ...EVENT, id })));
  const results = await Promise.all(ids.map((id) => mesh.result('r', id)));

  expect(results.map(({ outcome }) => outcome)).toEqual(ids.map(() => 'executed'));
  expect((await runs()).map(([id]) => id).sort()).toEqual(ids.sort());
  expect(await overlaps()).toBe('');
});

test('agents that wait are told when it is their turn, the oldest first', { timeout: 60_000 }, async () => {
  const { mesh, folder, runs } = await oneAtATime(
    'while [ "$MESH_EVENT_ID" = e-1 ] && [ ! -e go ]; do sleep 0.05; done',
  );
  await mesh.startWorker();
  const ids = ['e-1', 'e-2', 'e-3', 'e-4'];
  const events = async (id: string) => (await mesh.remediation('r', id).fetchHistory()).events ?? [];
  const waits = async (id: string) => (await events(id)).some((event) => event.timerStartedEventAttributes);
  await mesh.report({ ...EVENT, id: 'e-1' });
  await eventually('the first', async () => (await runs())[0]);
  for (const id of ids.slice(1)) {
    await mesh.report({ ...EVENT, id });
    await eventually('its wait', async () => ((await waits(id).catch(() => false)) ? true : undefined));
  }
  await mesh.remediation('r', 'e-2').terminate('it is to hold up nobody');

  await writeFile(join(folder, 'go'), '');

  for (const id of ['e-3', 'e-4']) expect(await mesh.result('r', id)).toMatchObject({ outcome: 'executed' });
  expect((await runs()).map(([id]) => id)).toEqual(['e-1', 'e-3', 'e-4']);
  // Each has asked for a slot once, and has started its agent once.
  for (const id of ['e-3', 'e-4']) {
    const scheduled = (await events(id)).flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
    expect(scheduled.map(({ activityType }) => activityType?.name)).toEqual(['askForSlot', 'spawnFallbackAgent']);
  }
});

test(
  'the slot of a remediation that was terminated, and whose worker is dead, is free for the next',
  { timeout: 120_000 },
  async () => {
    const { mesh, runs } = await oneAtATime('[ "$MESH_EVENT_ID" != e-1 ] || sleep 90');
    const worker = await startMeshWorkerProcess(mesh);
    onTestFinished(() => worker.kill());
    await mesh.report({ ...EVENT, id: 'e-1' });
    await eventually('its agent', async () => (await runs())[0]);

    await worker.kill();
    await mesh.remediation('r', 'e-1').terminate('an operator has had enough');
    await mesh.startWorker();
    await mesh.report({ ...EVENT, id: 'e-2' });

    expect(await mesh.result('r', 'e-2')).toMatchObject({ outcome: 'executed' });
    expect((await runs()).map(([id]) => id)).toEqual(['e-1', 'e-2']);
  },
);
