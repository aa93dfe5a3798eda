import { Context } from '@temporalio/activity';
import type { WorkflowHandleWithSignaledRunId } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeKeepLease } from '../../activities/adapters/workflows/keep-lease.js';
import { listDead } from '../../client/list-dead.js';
import type { ActionReport } from '../../contract/activities.js';
import type { Lease, LeaseInput } from '../../contract/lease.js';
import { leaseId } from '../../contract/ids.js';
import { LEASE_SIGNALS, WORKFLOW_TYPES } from '../../contract/names.js';
import { type BareWorker, startBareWorker } from '../support/bare-worker.js';
import { eventually } from '../support/eventually.js';

const HOUR_MS = 3_600_000;

let worker: BareWorker;
let handle: WorkflowHandleWithSignaledRunId;
let release: (lease: Lease) => Promise<ActionReport>;
let released: { lease: Lease; at: number }[];

beforeAll(async () => {
  worker = await startBareWorker({ releaseCapacity: (lease) => release(lease) });
});

afterAll(() => worker.stop());

beforeEach(() => {
  released = [];
  release = async (lease) => {
    released.push({ lease, at: Date.now() });
    return { status: 'executed', detail: 'given back', attempts: 1 };
  };
});

function aLease(overrides: Partial<Lease> = {}): Lease {
  return { tenant: 'default', environment: 'env-1', ensure: 2, untilAt: 0, effectKey: 'r/1/warm', ...overrides };
}

let count = 0;

/** As the activity does: the start is a signal too. */
async function keep(lease: Lease, more: Partial<LeaseInput> = {}): Promise<void> {
  const id = `lease/${worker.taskQueue}/${count++}`;
  handle = await worker.client.workflow.signalWithStart(WORKFLOW_TYPES.lease, {
    workflowId: id,
    taskQueue: worker.taskQueue,
    args: [{ lease, id, ...more } satisfies LeaseInput],
    signal: LEASE_SIGNALS.extend,
    signalArgs: [lease],
  });
}

const extend = (lease: unknown) => handle.signal(LEASE_SIGNALS.extend, lease);

const detailsShown = async () =>
  (await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata')).currentDetails ?? '';

const shown = (text: string) =>
  eventually(text, async () => ((await detailsShown()).includes(text) ? true : undefined));

test('capacity is given back at the end of its lease, not before', async () => {
  const untilAt = Date.now() + 1_500;
  await keep(aLease({ untilAt }));
  await shown('Kept warm until');

  expect(await detailsShown()).toContain('Asked for by:** `r/1/warm`\n');
  expect(await handle.result()).toEqual({ status: 'executed', detail: 'given back', attempts: 1 });
  expect(released).toHaveLength(1);
  expect(released[0]?.lease).toEqual(aLease({ untilAt }));
  expect(released[0]?.at).toBeGreaterThanOrEqual(untilAt);
  expect(await detailsShown()).toContain('Given back');
});

test('the lease is put off by whoever asks meanwhile, and never shortened', async () => {
  const untilAt = Date.now() + 1_000;
  await keep(aLease({ untilAt, before: 1, raisedTo: [2] }));
  const later = { ensure: 5, untilAt: untilAt + 1_000, effectKey: 'r/2/warm', before: 2, raisedTo: [5] };
  await extend(aLease(later));
  await extend(aLease({ ensure: 1, untilAt: untilAt - 500, effectKey: 'r/3/warm' }));

  await handle.result();

  expect(released.map(({ lease }) => lease)).toEqual([
    aLease({ ensure: 5, untilAt: untilAt + 1_000, effectKey: 'r/3/warm', before: 1, raisedTo: [2, 5] }),
  ]);
  expect(released[0]?.at).toBeGreaterThanOrEqual(untilAt + 1_000);
});

test('a lease that is extended often goes on in a run of its own, with what it knows', async () => {
  const untilAt = Date.now() + 2_000;
  await keep(aLease({ untilAt, before: 1, raisedTo: [2] }), { maxExtensions: 3 });
  for (const n of [1, 2, 3]) await extend(aLease({ ensure: n, untilAt: untilAt - n, effectKey: `r/${n}/warm` }));

  await handle.result();

  const first = worker.client.workflow.getHandle(handle.workflowId, handle.signaledRunId);
  expect((await first.describe()).status.name).toBe('CONTINUED_AS_NEW');
  expect(released.map(({ lease }) => lease)).toEqual([
    aLease({ ensure: 3, untilAt, effectKey: 'r/3/warm', before: 1, raisedTo: [2] }),
  ]);
});

test('cancelled, it gives the capacity back at once', async () => {
  await keep(aLease({ untilAt: Date.now() + HOUR_MS }));
  await shown('Kept warm until');

  await handle.cancel();

  expect(await handle.result()).toMatchObject({ status: 'executed' });
  expect(released).toHaveLength(1);
});

test('what is asked for after a cancel is kept to its own end; what is asked for once more is not', async () => {
  const give = release;
  let isDown = true;
  release = async (lease) => {
    if (!isDown) return give(lease);
    throw ApplicationFailure.create({ message: 'down', nextRetryDelay: 50 });
  };
  const first = aLease({ untilAt: Date.now() + HOUR_MS, ensure: 9, before: 1, raisedTo: [9] });
  await keep(first);
  await shown('Kept warm until');
  await handle.cancel();
  await shown('Being given back: the lease was cancelled');

  await extend(first);
  const untilAt = Date.now() + 1_500;
  await extend(aLease({ untilAt, effectKey: 'r/2/warm', before: 9, raisedTo: [9] }));
  isDown = false;
  await handle.result();

  expect(released.map(({ lease }) => lease)).toEqual([
    first,
    aLease({ untilAt, effectKey: 'r/2/warm', before: 1, raisedTo: [9] }),
  ]);
  expect(released[1]?.at).toBeGreaterThanOrEqual(untilAt);
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

test('giving back is called off when somebody asks while it is tried', async () => {
  let isDown = true;
  const give = release;
  release = async (lease) => {
    if (!isDown) return give(lease);
    throw ApplicationFailure.create({ message: 'down', nextRetryDelay: 50 });
  };
  await keep(aLease({ untilAt: Date.now() }));
  await shown('Being given back: the lease has ended');
  const untilAt = Date.now() + 1_500;

  await extend(aLease({ untilAt, effectKey: 'r/2/warm' }));
  await shown('Kept warm until');
  isDown = false;
  await handle.result();

  expect(released.map(({ lease, at }) => [lease.effectKey, at >= untilAt])).toEqual([['r/2/warm', true]]);
});

test('what cannot be given back closes as failed', async () => {
  release = async () => {
    const attempts = Context.current().info.attempt;
    throw ApplicationFailure.create({ message: 'refused', nonRetryable: true, details: [{ attempts }] });
  };
  await keep(aLease({ untilAt: Date.now() }));

  await expect(handle.result()).rejects.toMatchObject({
    cause: { type: 'release-failed', message: 'capacity of env-1 was not given back: refused' },
  });
  expect(await detailsShown()).toContain('Somebody must give it back by hand');
});

test('what is signalled by hand and is no lease of this environment changes nothing', async () => {
  await keep(aLease({ untilAt: Date.now() + 1_000 }));
  for (const asked of [null, 'x', {}, aLease({ environment: 'env-2', untilAt: Date.now() + HOUR_MS })])
    await extend(asked);

  await handle.result();

  expect(released).toHaveLength(1);
});

test('a lease that was terminated is listed as dead, until another keeps the same capacity', async () => {
  const lease = aLease({ tenant: worker.taskQueue, untilAt: Date.now() + HOUR_MS });
  const keepIt = makeKeepLease(worker.client, worker.taskQueue);
  const running = worker.client.workflow.getHandle(leaseId(lease.tenant, lease.environment));
  const dead = async () => (await listDead(worker.client, { tenant: lease.tenant })).dead;
  await keepIt(lease);
  await running.terminate('by hand');

  const listed = await eventually('the list', async () => ((await dead()).length > 0 ? dead() : undefined));
  expect(listed).toMatchObject([
    { kind: 'lease', environment: 'env-1', rule: '', ended: 'terminated', failed: [{ reason: 'by hand' }] },
  ]);

  await keepIt(lease);
  expect(await dead()).toEqual([]);
  await running.cancel();
  await running.result();
});
