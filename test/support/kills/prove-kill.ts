import type { TestContext } from 'vitest';
import { leaseId, remediationId, slotsId, watchId } from '#contract/ids.js';
import type { RemediationResult } from '#contract/remediation.js';
import { eventually } from '../eventually.js';
import { startTestMesh, type TestMesh } from '../test-mesh.js';
import { startMeshWorkerProcess } from '../mesh-worker-process.js';
import { expectEffects, expectExecuted, expectOneOfEach, expectSlotsFree } from './expect-aftermath.js';
import {
  type Kind,
  type KillPoint,
  KINDS,
  LAUNCHERS,
  NEVER_BEFORE_THE_KILL,
  nextOf,
  type OpenActivity,
} from './kill-points.js';
import { type Receivers, startReceivers } from './receivers.js';

/** A dead worker is noticed after the workflow task's 10 s or the heartbeat's; then everything must go on. */
const AFTER_KILL_MS = 60_000;
/** With many of these side by side. */
const TO_KILL_MS = 40_000;
const EVENT = { event: 'PostToolUseFailure', outcome: 'failed' } as const;

/** Kills a worker at one point of every kind of action, lets another one go on, and looks at what came of it. */
export async function proveKill(point: KillPoint, { onTestFinished }: Pick<TestContext, 'onTestFinished'>) {
  const receivers = await startReceivers(point.first ?? {});
  onTestFinished(() => receivers.close());
  const mesh = await startTestMesh({
    rules: rulesFor(point),
    config: receivers.config,
    withoutWorker: true,
  });
  onTestFinished(() => stopAll(mesh));

  await killAt(point, mesh, receivers);
  await mesh.report({ ...EVENT, id: 'e-1' });
  const [agentId = ''] = receivers.agents.taken.values();
  if (point.awaits === 'http') await mesh.report({ event: 'TaskCompleted', outcome: 'success', agent: agentId });
  await mesh.startWorker();

  const results = await Promise.all(KINDS.map((kind) => resultOf(mesh, kind)));
  expectExecuted(point, results);
  await expectEffects(point, mesh.tenant, receivers);
  await expectSlotsFree(mesh);
  await mesh.report({ ...EVENT, id: 'e-2' });
  await expectOneOfEach(mesh);
}

function rulesFor({ awaits, first }: KillPoint): unknown {
  const waitMs = first?.capacity === 'refused' ? BETWEEN_ATTEMPTS_MS : 100;
  const retry = { maxAttempts: 10, initialIntervalMs: waitMs, maxIntervalMs: waitMs };
  const ended = (kind: Kind) => (kind === awaits ? { await: 'finished' } : {});
  const actions: Record<Kind, object> = {
    command: { type: 'spawn_fallback_agent', agentType: 'command', ...ended('command') },
    http: { type: 'spawn_fallback_agent', agentType: 'http', ...ended('http') },
    message: { type: 'notify_team', teamName: 'ops' },
    capacity: { type: 'warm_remote_capacity' },
  };
  return {
    defaultCooldownMs: 600_000,
    rules: KINDS.map((kind) => ({
      id: kind,
      trigger: { event: EVENT.event },
      actions: [
        { ...actions[kind], id: kind, retry },
        { type: 'warm_remote_capacity', id: nextOf(kind) },
      ],
    })),
  };
}

/** Long enough for the kill to meet every kind in it, however far apart they come there. */
const BETWEEN_ATTEMPTS_MS = 20_000;

async function killAt(point: KillPoint, mesh: TestMesh, receivers: Receivers): Promise<void> {
  const worker = await startMeshWorkerProcess(mesh, {
    stops: [...point.stops, ...(point.holds ?? []), ...NEVER_BEFORE_THE_KILL],
  });
  try {
    await mesh.report({ ...EVENT, id: 'e-1' });
    await worker.reached(point.stops);
    const open = (kind: Kind) => openActivities(mesh, kind);
    const isThere = async () => (await point.until?.({ receivers, open })) ?? true;
    await eventually(`moment to kill: ${point.name}`, async () => (await isThere()) || undefined, TO_KILL_MS);
  } catch (cause) {
    const standing = await Promise.all(KINDS.map((kind) => whereItStands(mesh, kind)));
    throw new Error(`no moment to kill:\n${standing.join('\n')}`, { cause });
  } finally {
    await worker.kill();
  }
}

async function openActivities(mesh: TestMesh, kind: Kind): Promise<OpenActivity[]> {
  const { raw } = await mesh.remediation(kind, 'e-1').describe();
  return (raw.pendingActivities ?? []).map(({ activityType, state, lastFailure, heartbeatDetails }) => ({
    isDelivery: activityType?.name === 'deliverNotification',
    // One that is held fails too, by a heartbeat timeout: that is no failure of the application.
    waitsAfterRefusal: Number(state) === SCHEDULED && Boolean(lastFailure?.applicationFailureInfo),
    hasHeartbeat: (heartbeatDetails?.payloads?.length ?? 0) > 0,
  }));
}

/** For who reads that a test has failed. */
async function whereItStands(mesh: TestMesh, kind: Kind): Promise<string> {
  try {
    const { status, raw } = await mesh.remediation(kind, 'e-1').describe();
    const activities = (raw.pendingActivities ?? []).map(
      ({ activityType, attempt, lastFailure }) =>
        `${activityType?.name} in attempt ${attempt}${lastFailure ? ` after ${JSON.stringify(lastFailure)}` : ''}`,
    );
    return `${kind}: ${status.name} ${activities.join(', ')}`;
  } catch (error) {
    return `${kind}: ${String(error)}`;
  }
}

/** `PENDING_ACTIVITY_STATE_SCHEDULED`: no worker has it. */
const SCHEDULED = 1;

async function resultOf(mesh: TestMesh, kind: Kind): Promise<RemediationResult> {
  const handle = mesh.remediation(kind, 'e-1');
  await eventually(`remediation of ${kind}`, () => handle.describe(), AFTER_KILL_MS);
  return handle.result() as Promise<RemediationResult>;
}

async function stopAll(mesh: TestMesh): Promise<void> {
  const { client, tenant, taskQueue } = mesh;
  // What would go on after a test that failed.
  const ids = [
    ...KINDS.map((kind) => remediationId(tenant, kind, 'e-1')),
    leaseId(taskQueue, 'env-1'),
    watchId(tenant),
    ...LAUNCHERS.map((launcher) => slotsId(taskQueue, launcher)),
  ];
  const end = (id: string) => client.workflow.getHandle(id).terminate('the test is over');
  await Promise.allSettled(ids.map(end));
  await mesh.stop();
}
