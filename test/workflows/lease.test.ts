import { Context } from '@temporalio/activity';
import { type Client, type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { makeKeepLease } from '#adapters/temporal/create-workflows.js';
import { listDead } from '#client/list-dead.js';
import { listLeases } from '#client/list-leases.js';
import type { ActionReport } from '#contract/activities.js';
import type { Lease, LeaseInput, RestorePoint } from '#contract/lease.js';
import { leaseId } from '#contract/ids.js';
import { LEASE_SIGNALS, WORKFLOW_TYPES } from '#contract/names.js';
import { type BareWorker, startBareWorker } from '../support/bare-worker.js';
import { eventually } from '../support/eventually.js';

const HOUR_MS = 3_600_000;

let worker: BareWorker;
let handle: WorkflowHandle;
let firstRunId: string;
let release: (lease: Lease) => Promise<ActionReport>;
let released: { lease: Lease; at: number }[];
let reacquire: (lease: Lease) => Promise<ActionReport & { restorePoint?: RestorePoint }>;
let reacquired: Lease[];

beforeAll(async () => {
  worker = await startBareWorker({
    releaseCapacity: (lease) => release(lease),
    reacquireCapacity: (lease) => reacquire(lease),
  });
});

afterAll(() => worker.stop());

beforeEach(() => {
  released = [];
  release = async (lease) => {
    released.push({ lease, at: Date.now() });
    return { status: 'executed', detail: 'given back', attempts: 1 };
  };
  reacquired = [];
  reacquire = async (lease) => {
    reacquired.push(lease);
    return { status: 'executed', attempts: 1, restorePoint: { originalCount: 1, countsSetByMesh: [lease.ensure] } };
  };
});

function aLease(overrides: Partial<Lease> = {}): Lease {
  return {
    tenant: 'default',
    environment: 'env-1',
    ensure: 2,
    untilAt: 0,
    effectKey: 'r/1/warm',
    targetHash: 'h',
    ...overrides,
  };
}

let count = 0;

/** As the activity does: the start is a signal too. */
async function keep(lease: Lease): Promise<void> {
  const workflowId = `lease/${worker.taskQueue}/${count++}`;
  // The lease may give back, and ask whoever the test lets ask then, before the answer to its start has come here.
  handle = worker.client.workflow.getHandle(workflowId);
  const started = await worker.client.workflow.signalWithStart(WORKFLOW_TYPES.lease, {
    workflowId,
    taskQueue: worker.taskQueue,
    args: [{ lease } satisfies LeaseInput],
    signal: LEASE_SIGNALS.extend,
    signalArgs: [lease],
  });
  firstRunId = started.signaledRunId;
}

const extend = (lease: unknown) => handle.signal(LEASE_SIGNALS.extend, lease);

const detailsShown = async () =>
  (await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata')).currentDetails ?? '';

const shown = (text: string) =>
  eventually(text, async () => ((await detailsShown()).includes(text) ? true : undefined));

test('capacity is given back at the end of its lease, not before', async () => {
  const untilAt = Date.now() + 1_500;
  await keep(aLease({ untilAt }));

  expect(await handle.result()).toEqual({ status: 'executed', detail: 'given back', attempts: 1 });
  expect(released).toHaveLength(1);
  expect(released[0]?.lease).toEqual(aLease({ untilAt }));
  expect(released[0]?.at).toBeGreaterThanOrEqual(untilAt);
  expect(await detailsShown()).toContain('Given back');
});

test('the lease is put off by whoever asks meanwhile, and never shortened', async () => {
  const untilAt = Date.now() + 2_500;
  await keep(aLease({ untilAt, restorePoint: { originalCount: 1, countsSetByMesh: [2] } }));
  const later = {
    ensure: 5,
    untilAt: untilAt + 1_000,
    effectKey: 'r/2/warm',
    restorePoint: { originalCount: 2, countsSetByMesh: [5] },
  };
  await extend(aLease(later));
  await extend(aLease({ ensure: 1, untilAt: untilAt - 500, effectKey: 'r/2/warm' }));

  await handle.result();

  expect(released.map(({ lease }) => lease)).toEqual([
    aLease({
      ensure: 5,
      untilAt: untilAt + 1_000,
      effectKey: 'r/2/warm',
      restorePoint: { originalCount: 1, countsSetByMesh: [2, 5] },
    }),
  ]);
  expect(released[0]?.at).toBeGreaterThanOrEqual(untilAt + 1_000);
});

/** Temporal suggests that a run continues as new after 4 MiB. What is no lease is kept in its history all the same. */
async function fillHistory(run: WorkflowHandle): Promise<void> {
  // The server compares the size from before a task: that of three signals, with a fourth to ask.
  for (let n = 0; n < 4; n++) await run.signal(LEASE_SIGNALS.extend, 'x'.repeat(1_500_000));
}

test('a lease with a long history goes on in a run of its own, with what it knows', async () => {
  const untilAt = Date.now() + HOUR_MS;
  await keep(aLease({ untilAt, restorePoint: { originalCount: 1, countsSetByMesh: [2] } }));
  await extend(aLease({ ensure: 3, untilAt: untilAt - 3, effectKey: 'r/3/warm' }));
  await fillHistory(handle);
  await eventually('a run that follows', async () => {
    const first = worker.client.workflow.getHandle(handle.workflowId, firstRunId);
    return (await first.describe()).status.name === 'CONTINUED_AS_NEW' || undefined;
  });
  await handle.cancel();

  await handle.result();

  expect(released.map(({ lease }) => lease)).toEqual([
    aLease({ ensure: 3, untilAt, effectKey: 'r/3/warm', restorePoint: { originalCount: 1, countsSetByMesh: [2] } }),
  ]);
});

test('cancelled, it gives the capacity back at once', async () => {
  await keep(aLease({ untilAt: Date.now() + HOUR_MS }));
  await shown('Kept warm until');
  expect(await detailsShown()).toContain('asked for by:** `r/1/warm`\n');

  await handle.cancel();

  expect(await handle.result()).toMatchObject({ status: 'executed' });
  expect(released).toHaveLength(1);
});

/** Nothing is given back before it answers again. */
function bridgeDown(): { answersAgain: () => void } {
  const give = release;
  release = () => Promise.reject(ApplicationFailure.create({ message: 'down', nextRetryDelay: 50 }));
  return { answersAgain: () => void (release = give) };
}

test.each<[string, number, boolean]>([
  ['the lease was cancelled', HOUR_MS, true],
  ['the lease has ended', 0, false],
])('what is asked for while giving back fails is kept to its own end (%s)', async (because, forMs, isCancelled) => {
  const bridge = bridgeDown();
  const first = aLease({
    untilAt: Date.now() + forMs,
    ensure: 9,
    restorePoint: { originalCount: 1, countsSetByMesh: [9] },
  });
  await keep(first);
  await shown(isCancelled ? 'Kept warm until' : 'Being given back');
  if (isCancelled) await handle.cancel();
  await shown(`Being given back: ${because}`);

  const untilAt = Date.now() + 1_500;
  await extend(aLease({ untilAt, effectKey: 'r/2/warm', restorePoint: { originalCount: 9, countsSetByMesh: [9] } }));
  bridge.answersAgain();
  await handle.result();

  const second = aLease({
    untilAt,
    effectKey: 'r/2/warm',
    restorePoint: { originalCount: 1, countsSetByMesh: [9, 2] },
  });
  expect(reacquired).toEqual([second]);
  expect(released.map(({ lease }) => lease)).toEqual([first, second]);
  expect(released[1]?.at).toBeGreaterThanOrEqual(untilAt);
});

test('a cancel that comes while an ended lease is given back ends nothing that was asked for since', async () => {
  const bridge = bridgeDown();
  await keep(aLease({ untilAt: Date.now() }));
  await shown('Being given back: the lease has ended');
  const untilAt = Date.now() + 1_500;
  await extend(aLease({ untilAt, effectKey: 'r/2/warm' }));
  await handle.cancel();
  bridge.answersAgain();

  await worker.client.workflow.getHandle(handle.workflowId).result();

  expect(released.map(({ lease }) => lease.effectKey)).toEqual(['r/1/warm', 'r/2/warm']);
  expect(released[1]?.at).toBeGreaterThanOrEqual(untilAt);
});

test('what nobody wants any more when it was given back at last is not taken again, and its number is looked at', async () => {
  const bridge = bridgeDown();
  const restorePoint = { originalCount: 1, countsSetByMesh: [2] };
  await keep(aLease({ untilAt: Date.now(), restorePoint }));
  await shown('Being given back: the lease has ended');
  await extend(aLease({ untilAt: 1, effectKey: 'r/2/warm', restorePoint: { originalCount: 2, countsSetByMesh: [4] } }));
  bridge.answersAgain();

  await handle.result();

  expect(reacquired).toEqual([]);
  expect(released[1]?.lease.restorePoint).toEqual({ originalCount: 1, countsSetByMesh: [2, 4] });
});

test('a target that is down is asked until it answers', async () => {
  let tries = 0;
  const give = release;
  release = (lease) => {
    tries++;
    if (tries < 3) throw ApplicationFailure.create({ message: 'down', nextRetryDelay: 20 });
    return give(lease);
  };
  await keep(aLease({ untilAt: Date.now() }));

  expect(await handle.result()).toMatchObject({ status: 'executed' });
  expect(tries).toBe(3);
});

test('who asks at another address of the bridge has the lease there: nothing of the one before is taken along', async () => {
  const untilAt = Date.now() + HOUR_MS;
  await keep(aLease({ untilAt, restorePoint: { originalCount: 1, countsSetByMesh: [2] } }));
  const second = aLease({ targetHash: 'elsewhere', untilAt, effectKey: 'r/2/warm' });
  await extend(second);
  await shown('r/2/warm');
  await handle.cancel();

  await handle.result();

  expect(released.map(({ lease }) => lease)).toEqual([second]);
});

/** Gives back, and lets somebody ask before it says so. */
function releaseWhileAsked(asked: () => Lease): void {
  const give = release;
  release = async (lease) => {
    release = give;
    await extend(asked());
    return give(lease);
  };
}

test('capacity that was given back while somebody asked for it is re-acquired, and then kept to the new end', async () => {
  let untilAt = Infinity;
  releaseWhileAsked(() => aLease({ untilAt: (untilAt = Date.now() + 1_500), ensure: 4, effectKey: 'r/2/warm' }));
  await keep(
    aLease({ untilAt: Date.now() + 200, ensure: 5, restorePoint: { originalCount: 1, countsSetByMesh: [5] } }),
  );

  await handle.result();

  const kept = aLease({
    untilAt,
    ensure: 4,
    effectKey: 'r/2/warm',
    restorePoint: { originalCount: 1, countsSetByMesh: [5, 4] },
  });
  expect(reacquired).toEqual([kept]);
  expect(released.map(({ lease }) => lease.effectKey)).toEqual(['r/1/warm', 'r/2/warm']);
  expect(released[1]?.lease).toEqual(kept);
  expect(released[1]?.at).toBeGreaterThanOrEqual(untilAt);
});

test('the restore point is the one from where it was raised again', async () => {
  releaseWhileAsked(() => aLease({ untilAt: Date.now() + 1_000, ensure: 7, effectKey: 'r/2/warm' }));
  reacquire = async () => ({
    status: 'executed',
    attempts: 1,
    restorePoint: { originalCount: 3, countsSetByMesh: [7] },
  });
  await keep(aLease({ untilAt: Date.now() + 200, restorePoint: { originalCount: 1, countsSetByMesh: [2] } }));

  await handle.result();

  expect(released[1]?.lease).toMatchObject({ ensure: 7, restorePoint: { originalCount: 3, countsSetByMesh: [7] } });
});

const REFUSED = ApplicationFailure.create({ message: 'refused', nonRetryable: true });
const BLOCKED: ActionReport = { status: 'skipped', reason: 'Remote sessions are blocked by policy', attempts: 1 };

test.each<[string, () => Promise<ActionReport>]>([
  ['refused', () => Promise.reject(REFUSED)],
  ['Remote sessions are blocked by policy', async () => BLOCKED],
])('what cannot be re-acquired (%s) is not called warm, and is given back all the same', async (why, answer) => {
  releaseWhileAsked(() => aLease({ untilAt: Date.now() + HOUR_MS, ensure: 7, effectKey: 'r/2/warm' }));
  reacquire = answer;
  await keep(aLease({ untilAt: Date.now(), restorePoint: { originalCount: 1, countsSetByMesh: [2] } }));

  await shown('but perhaps not warm');
  expect(await detailsShown()).toContain(
    `- **Could not be re-acquired:** somebody asked for it while it was being given back. \`${why}\``,
  );
  await handle.cancel();

  // The number it was to have is known: it may be there.
  expect(await handle.result()).toMatchObject({ status: 'executed' });
  expect(released[1]?.lease).toMatchObject({
    effectKey: 'r/2/warm',
    restorePoint: { originalCount: 1, countsSetByMesh: [2, 7] },
  });
});

test('who asks for what could not be re-acquired sees to it, and the lease is a usual one again', async () => {
  releaseWhileAsked(() => aLease({ untilAt: Date.now() + HOUR_MS, effectKey: 'r/2/warm' }));
  reacquire = async () => BLOCKED;
  await keep(aLease({ untilAt: Date.now(), restorePoint: { originalCount: 1, countsSetByMesh: [2] } }));
  await shown('but perhaps not warm');

  await extend(aLease({ untilAt: Date.now() + HOUR_MS, effectKey: 'r/3/warm' }));

  await shown('Kept warm until');
  await handle.cancel();
  await handle.result();
});

test('what is asked for while a cancelled lease is given back is re-acquired, also with no number to go back to', async () => {
  let untilAt = Infinity;
  releaseWhileAsked(() => aLease({ untilAt: (untilAt = Date.now() + 1_500), ensure: 4, effectKey: 'r/2/warm' }));
  await keep(aLease({ untilAt: Date.now() + HOUR_MS, ensure: 9 }));
  await shown('Kept warm until');
  await handle.cancel();

  await worker.client.workflow.getHandle(handle.workflowId).result();

  expect(reacquired).toEqual([aLease({ untilAt, ensure: 4, effectKey: 'r/2/warm' })]);
  expect(released.map(({ lease }) => [lease.effectKey, lease.ensure])).toEqual([
    ['r/1/warm', 9],
    ['r/2/warm', 4],
  ]);
});

test('what cannot be given back closes as failed, and says from what to what it was raised', async () => {
  const restorePoint = { originalCount: 1, countsSetByMesh: [2] };
  release = async () => {
    const attempts = Context.current().info.attempt;
    throw ApplicationFailure.create({ message: 'refused', nonRetryable: true, details: [{ attempts }] });
  };
  await keep(aLease({ untilAt: Date.now(), restorePoint }));

  await expect(handle.result()).rejects.toMatchObject({
    cause: {
      type: 'release-failed',
      message: 'capacity of env-1 was not given back: refused',
      details: [{ reason: 'refused', restorePoint }],
    },
  });
  expect(await detailsShown()).toContain('Not given back');
});

test('what is signalled by hand and is no lease of this environment changes nothing', async () => {
  const lease = aLease({ untilAt: Date.now() + HOUR_MS });
  await keep(lease);
  const untilAt = lease.untilAt + HOUR_MS;
  for (const asked of [null, 'x', {}, aLease({ environment: 'env-2', untilAt })]) await extend(asked);
  // No date at all, which nothing could be shown of.
  await extend(aLease({ untilAt: 1.8e18 }));
  await handle.cancel();

  await handle.result();

  expect(released.map((given) => given.lease)).toEqual([lease]);
});

describe('of what comes while no worker runs a lease hears at once', () => {
  const raised = { restorePoint: { originalCount: 1, countsSetByMesh: [2] } };
  let taskQueue: string;

  beforeEach(() => (taskQueue = `${worker.taskQueue}-${count++}`));

  const apart = (environment = 'env-1') => worker.client.workflow.getHandle(leaseId(taskQueue, environment));

  function startWorker(): Promise<BareWorker> {
    const activities = {
      releaseCapacity: (lease: Lease) => release(lease),
      reacquireCapacity: (lease: Lease) => reacquire(lease),
    };
    return startBareWorker(activities, taskQueue);
  }

  /** The rest of the test has a worker; what a lease has begun before goes on. */
  async function workerComesBack(): Promise<void> {
    const back = await startWorker();
    onTestFinished(() => back.stop());
  }

  /** A lease that waits for its end, and whose worker is gone. */
  async function leftAlone(lease: Lease): Promise<void> {
    const first = await startWorker();
    await worker.client.workflow.start(WORKFLOW_TYPES.lease, {
      workflowId: leaseId(taskQueue, lease.environment),
      taskQueue,
      args: [{ lease } satisfies LeaseInput],
    });
    await eventually('its timer', async () => {
      const { events } = await apart().fetchHistory();
      return events?.find((event) => event.timerStartedEventAttributes);
    });
    await first.stop();
  }

  test.each<[string, Partial<Lease>]>([
    ['with a number to lower', raised],
    ['with none', {}],
  ])('a cancel before it has begun gives back what it was started for: %s', async (_what, numbers) => {
    const lease = aLease({ untilAt: Date.now() + HOUR_MS, ...numbers });
    const keepIt = makeKeepLease(worker.client, taskQueue);
    // As the activity does that raises a number: before that, and after.
    await keepIt(lease);
    await keepIt(lease);
    await apart().cancel();

    await workerComesBack();

    expect(await apart().result()).toMatchObject({ status: 'executed' });
    expect(released.map((given) => given.lease)).toEqual([lease]);
    expect(reacquired).toEqual([]);
  });

  test('what was raised in the moment of a cancel is lowered too', async () => {
    const first = aLease({ untilAt: Date.now() + HOUR_MS });
    await leftAlone(first);
    await apart().signal(LEASE_SIGNALS.extend, { ...first, ...raised });
    await apart().cancel();

    await workerComesBack();

    expect(await apart().result()).toMatchObject({ status: 'executed' });
    expect(released.map(({ lease }) => lease)).toEqual([{ ...first, ...raised }]);
    expect(reacquired).toEqual([]);
  });

  test('a cancel that comes with too much for one run is heeded', async () => {
    await leftAlone(aLease({ untilAt: Date.now() + HOUR_MS }));
    await fillHistory(apart());
    await apart().cancel();

    await workerComesBack();

    expect(await apart().result()).toMatchObject({ status: 'executed' });
    expect(released).toHaveLength(1);
  });
});

test('a lease that was terminated is listed as dead, also when another keeps the same capacity', async () => {
  const lease = aLease({ tenant: worker.taskQueue, untilAt: Date.now() + HOUR_MS });
  const keepIt = makeKeepLease(worker.client, worker.taskQueue);
  const running = worker.client.workflow.getHandle(leaseId(worker.taskQueue, lease.environment));
  const dead = async () => (await listDead(worker.client, { tenant: lease.tenant })).dead;
  await keepIt(lease);
  await running.terminate('by hand');

  const listed = await eventually('the list', async () => ((await dead()).length > 0 ? dead() : undefined));
  expect(listed).toMatchObject([
    { kind: 'lease', environment: 'env-1', rule: '', ended: 'terminated', failed: [{ reason: 'by hand' }] },
  ]);
  expect((await listDead(worker.client, { tenant: lease.tenant, kinds: ['notice', 'lease'] })).dead).toEqual(listed);
  expect((await listDead(worker.client, { tenant: lease.tenant, kinds: ['notice'] })).dead).toEqual([]);
  const closedAt = listed[0]?.closedAt ?? 0;
  const closedSince = async (at: number) =>
    (await listDead(worker.client, { tenant: lease.tenant, closedSinceAt: at })).dead;
  expect(await closedSince(closedAt - 1_000)).toEqual(listed);
  expect(await closedSince(closedAt + 1_000)).toEqual([]);

  await keepIt(lease);
  expect(await dead()).toEqual(listed);
  await running.cancel();
  await running.result();
});

test('a lease is listed as long as it runs, with why it cannot be given back', async () => {
  const tenant = `${worker.taskQueue}-listed`;
  release = () => Promise.reject(ApplicationFailure.retryable('the bridge answered 503', 'bridge-failed'));
  const listed = async () => (await listLeases(worker.client, tenant)).leases;
  expect(await listLeases(worker.client, tenant)).toEqual({ leases: [], more: false });
  const id = leaseId(worker.taskQueue, 'gpu pool');
  handle = worker.client.workflow.getHandle(id);
  await makeKeepLease(
    worker.client,
    worker.taskQueue,
  )(aLease({ tenant, environment: 'gpu pool', untilAt: Date.now() + HOUR_MS }));

  const [kept] = await eventually('the list', async () => ((await listed()).length > 0 ? listed() : undefined));
  const { runId, startTime } = await handle.describe();
  expect(kept).toEqual({ id, runId, environment: 'gpu pool', startedAt: startTime.getTime() });

  await handle.cancel();
  const retrying = await eventually('a failed attempt', async () => (await listed())[0]?.retrying);
  expect(retrying).toMatchObject([{ doing: 'give capacity back (gpu pool)', lastError: 'the bridge answered 503' }]);
  expect(retrying[0]?.attempt).toBeGreaterThan(0);

  await handle.terminate('by hand');
  await eventually('the end', async () => ((await listed()).length === 0 ? true : undefined));
});

test('one run that the server has forgotten since it was listed does not hide the others', async () => {
  const tenant = `${worker.taskQueue}-forgotten`;
  const keepIt = makeKeepLease(worker.client, worker.taskQueue);
  const ids = await Promise.all(
    ['env-7', 'env-8'].map(async (environment) => {
      await keepIt(aLease({ tenant, environment, untilAt: Date.now() + HOUR_MS }));
      const id = leaseId(worker.taskQueue, environment);
      await worker.client.workflow.getHandle(id).terminate('by hand');
      return id;
    }),
  );

  const client = forgetting(worker.client, ids[0] ?? '');
  const both = async () => (await listDead(client, { tenant })).dead;
  const listed = await eventually('the list', async () => ((await both()).length > 1 ? both() : undefined));

  expect(new Map(listed.map(({ id, failed }) => [id, failed]))).toEqual(
    new Map([
      [ids[0], [{ reason: 'its history is gone' }]],
      [ids[1], [{ reason: 'by hand' }]],
    ]),
  );
});

/** A client of a server that lists this workflow, and knows no more of it. */
function forgetting(client: Client, forgotten: string): Client {
  const getHandle: Client['workflow']['getHandle'] = (id, ...more) => {
    const found = client.workflow.getHandle(id, ...more);
    const notFound = () => Promise.reject(new WorkflowNotFoundError('workflow not found', id, undefined));
    return id === forgotten ? { ...found, describe: notFound, result: notFound } : found;
  };
  const workflow = Object.create(client.workflow, { getHandle: { value: getHandle } }) as Client['workflow'];
  return Object.create(client, { workflow: { value: workflow } }) as Client;
}
