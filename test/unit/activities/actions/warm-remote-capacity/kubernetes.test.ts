import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Lease } from '#contract/lease.js';
import { extendLease } from '#workflows/lease/kept-lease.js';
import { capacityWorld, type CapacityWorld } from '#test/support/capacity-world.js';
import { TEST_CA } from '#test/support/certificates.js';
import {
  KUBERNETES_TOKEN,
  type KubernetesFault,
  type KubernetesServer,
  startKubernetesServer,
} from '#test/support/kubernetes-server.js';

let cluster: KubernetesServer;
let world: CapacityWorld;

beforeEach(async () => {
  cluster = await startKubernetesServer();
  world = worldOf(cluster);
});

afterEach(() => cluster.close());

const ID = 'agents/deployments/runner';
const UNAVAILABLE = { status: 'skipped', reason: 'Bridge status unavailable; warm_remote_capacity skipped' };

function worldOf(
  { url }: KubernetesServer,
  token = KUBERNETES_TOKEN,
  keepLease?: (lease: Lease) => Promise<void>,
): CapacityWorld {
  const bridge = { kind: 'kubernetes', url, token: '${file:token}', ca: '${file:ca.pem}' };
  const made = capacityWorld({
    config: { bridge, outbound: { privateHosts: ['127.0.0.1'] } },
    ...(keepLease && { keepLease }),
  });
  writeFileSync(join(made.folder, 'ca.pem'), TEST_CA);
  writeFileSync(join(made.folder, 'token'), `${token}\n`);
  return made;
}

/** As the workflow `lease` holds it after all that was asked for. */
function lease(): Lease {
  const [first, ...others] = world.leases;
  if (!first) throw new Error('no lease was kept');
  return others.reduce(extendLease, first);
}

describe('warming up', () => {
  test('raises the replicas, and waits until they are ready', async () => {
    expect(await world.warm({ ensure: 3 })).toEqual({
      status: 'executed',
      detail: `Remote capacity warmed for environment ${ID}`,
      attempts: 1,
      leaseUntilAt: lease().untilAt,
    });
    expect(cluster.calls).toEqual(['GET /scale', 'GET /scale', 'GET /scale', 'PATCH /scale 3', 'GET /']);
    const told = { environment: ID, ensure: 3, restorePoint: { originalCount: 0, countsSetByMesh: [3] } };
    expect(world.leases).toMatchObject([told, told]);
  });

  test.each([3, 7])('never lowers: with %i there, 3 are enough', async (replicas) => {
    cluster.setReplicas(replicas);

    expect(await world.warm({ ensure: 3 })).toMatchObject({ status: 'executed' });
    expect(cluster.replicas()).toBe(replicas);
    expect(lease()).not.toHaveProperty('restorePoint');
  });

  test('replicas that do not become ready are not warm', async () => {
    cluster.limitReady(1);

    await expect(world.warm({ ensure: 2, timeoutMs: 3_000 })).rejects.toThrow(
      `Remote warm-up failed: environment ${ID} has 1 of 2 ready within 3000ms`,
    );
  });

  test('what was ready before the replicas were last changed is not ready now: the status is still an old one', async () => {
    cluster.staleStatus(2, 3);

    expect(await world.warm({ ensure: 3 })).toMatchObject({ status: 'executed' });
    expect(cluster.calls.filter((call) => call === 'GET /')).toHaveLength(3);
  });

  test('a status that stays behind is never warm', async () => {
    cluster.staleStatus(Infinity, 3);

    await expect(world.warm({ ensure: 3, timeoutMs: 3_000 })).rejects.toThrow(
      `Remote warm-up failed: environment ${ID} has 0 of 3 ready within 3000ms`,
    );
  });

  test('replicas that are lowered meanwhile are not waited for: the next attempt raises them again', async () => {
    cluster.afterPatch(() => cluster.setReplicas(0));

    await expect(world.warm({ ensure: 2 })).rejects.toMatchObject({
      nonRetryable: false,
      message: `Remote warm-up failed: environment ${ID} was lowered to 0 meanwhile`,
    });
    expect(await world.warm({ ensure: 2 })).toMatchObject({ status: 'executed' });
  });

  test('an object of another kind is as ready as its scale says', async () => {
    const queue = await startKubernetesServer('/apis/example.com/v1/namespaces/agents/pools/runner');
    onTestFinished(() => queue.close());
    const { warm } = worldOf(queue);

    expect(await warm()).toMatchObject({ detail: 'Remote capacity warmed for environment agents/pools/runner' });
    expect(queue.calls.at(-1)).toBe('GET /scale');
  });

  test('somebody else writes in between: what they set is read again, and counts as what was there before', async () => {
    cluster.beforePatch(() => cluster.setReplicas(1));

    expect(await world.warm({ ensure: 3 })).toMatchObject({ status: 'executed' });
    expect(cluster.calls.filter((call) => call.startsWith('PATCH'))).toHaveLength(2);
    expect(lease()).toMatchObject({ restorePoint: { originalCount: 1, countsSetByMesh: [3] } });
  });

  test('somebody else writes all the time: the attempt fails, and is made again', async () => {
    cluster.next('PATCH /scale', ...Array.from({ length: 5 }, () => ({ status: 409, message: 'modified' })));

    await expect(world.warm()).rejects.toMatchObject({
      type: 'bridge-failed',
      nonRetryable: false,
      message: 'Remote warm-up failed: the Kubernetes API answered 409: modified',
    });
    expect(cluster.replicas()).toBe(0);
  });

  test('a lost answer: the next attempt raises nothing more, and the restore point is known', async () => {
    cluster.setReplicas(1);
    cluster.next('PATCH /scale', 'lost');

    await expect(world.warm({ ensure: 4 })).rejects.toThrow(/^Remote warm-up failed: /);

    expect(await world.warm({ ensure: 4 })).toMatchObject({ status: 'executed' });
    expect(cluster.calls.filter((call) => call.startsWith('PATCH'))).toHaveLength(1);
    expect(lease()).toMatchObject({ restorePoint: { originalCount: 1, countsSetByMesh: [4] } });
  });

  test('the lease outlives the raise, however long that takes, and is told once more after it', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);
    const leases: Lease[] = [];
    const { warm } = worldOf(cluster, KUBERNETES_TOKEN, async (lease) => {
      if (leases.push(lease) === 1) pass(1_200);
    });
    let raisedAt = 0;
    cluster.next('PATCH /scale', { status: 409, message: 'modified' });
    cluster.beforePatch(() => (raisedAt = pass(1_200).getMockedSystemTime()?.getTime() ?? 0));

    await warm({ ensure: 3, forMs: 1_000 });

    const restorePoint = { originalCount: 0, countsSetByMesh: [3] };
    expect(leases).toMatchObject([{ restorePoint }, { restorePoint }, { restorePoint }]);
    const [first = 0, second = 0, last = 0] = leases.map(({ untilAt }) => untilAt);
    expect(second).toBeGreaterThan(first);
    expect(last).toBeGreaterThan(raisedAt);
  });

  test.each<[string, KubernetesFault, number]>([
    ['a raise that may have been done is told', 'lost', 2],
    ['one that was refused is not', { status: 403 }, 1],
  ])('%s once more', async (_what, fault, times) => {
    cluster.next('PATCH /scale', fault);

    await expect(world.warm({ ensure: 3 })).rejects.toThrow(/^Remote warm-up failed: /);

    expect(world.leases).toHaveLength(times);
  });

  test('no such object: there is no environment, and none is made', async () => {
    cluster.exists(false);

    expect(await world.warm({ createDefaultEnvironmentIfMissing: true })).toMatchObject({
      status: 'skipped',
      reason: 'No eligible remote environment available for warm-up',
    });
  });

  test('a token that is not taken: skipped with what the API said, and without the token', async () => {
    const report = await worldOf(cluster, 'wrong-token-1').warm();

    expect(report).toMatchObject({ ...UNAVAILABLE, detail: 'the Kubernetes API answered 401: Unauthorized' });
  });

  test('a token that may look and not write: failed for good', async () => {
    cluster.next('PATCH /scale', { status: 403, message: 'deployments.apps "runner" is forbidden' });

    await expect(world.warm()).rejects.toMatchObject({
      type: 'bridge-refused',
      nonRetryable: true,
      message: 'Remote warm-up failed: the Kubernetes API answered 403: deployments.apps "runner" is forbidden',
    });
  });

  test('an authority that is not named: nothing is sent', async () => {
    const bridge = { kind: 'kubernetes', url: cluster.url, token: '${env:TOKEN}' };
    const { warm } = capacityWorld({
      config: { bridge, outbound: { privateHosts: ['127.0.0.1'] } },
      env: { TOKEN: KUBERNETES_TOKEN },
    });

    const report = await warm();

    expect(report).toMatchObject(UNAVAILABLE);
    expect(report.detail).toContain('the TLS certificate is not trusted');
    expect(cluster.calls).toEqual([]);
  });
});

describe('giving back', () => {
  test('goes back to what was there before', async () => {
    cluster.setReplicas(2);
    await world.warm({ ensure: 5 });

    expect(await world.release(lease())).toMatchObject({
      status: 'executed',
      detail: `${ID} went back from 5 to 2 replicas`,
    });
    expect(cluster.replicas()).toBe(2);
  });

  test('goes back all the way, also when it was raised twice', async () => {
    await world.warm({ ensure: 2, effectKey: 'remediation/default/r/1/warm' });
    await world.warm({ ensure: 5, effectKey: 'remediation/default/r/2/warm' });
    await world.warm({ ensure: 1, effectKey: 'remediation/default/r/3/warm' });

    expect(await world.release(lease())).toMatchObject({ detail: `${ID} went back from 5 to 0 replicas` });
  });

  test('goes back also from a number that a second request did not get beyond', async () => {
    await world.warm({ ensure: 2, effectKey: 'remediation/default/r/1/warm' });
    cluster.next('PATCH /scale', { status: 403 });
    await expect(world.warm({ ensure: 5, effectKey: 'remediation/default/r/2/warm' })).rejects.toThrow();

    expect(await world.release(lease())).toMatchObject({ detail: `${ID} went back from 2 to 0 replicas` });
  });

  test.each([4, 9])('leaves %i replicas alone, which somebody has set since', async (replicas) => {
    await world.warm({ ensure: 5 });
    cluster.setReplicas(replicas);

    expect(await world.release(lease())).toMatchObject({
      status: 'skipped',
      reason: `${ID} has ${replicas} replicas, which the mesh did not set: it is left as it is`,
    });
    expect(cluster.replicas()).toBe(replicas);
  });

  test('looks again when somebody writes in between', async () => {
    await world.warm({ ensure: 5 });
    cluster.beforePatch(() => cluster.setReplicas(6));

    expect(await world.release(lease())).toMatchObject({ status: 'skipped' });
    expect(cluster.replicas()).toBe(6);
  });

  test('twice is the same as once', async () => {
    await world.warm({ ensure: 5 });
    cluster.next('PATCH /scale', 'lost');
    await expect(world.release(lease())).rejects.toThrow(/^Remote capacity was not given back: /);

    expect(await world.release(lease())).toMatchObject({
      status: 'executed',
      detail: `${ID} has 0 replicas, as before`,
    });
    expect(cluster.replicas()).toBe(0);
  });

  test('has nothing to do where there was enough', async () => {
    cluster.setReplicas(5);
    await world.warm({ ensure: 3 });

    expect(await world.release(lease())).toMatchObject({
      status: 'skipped',
      reason: `${ID} had enough replicas by itself`,
    });
    expect(cluster.replicas()).toBe(5);
  });

  test('is refused where the bridge is at another address now, though the object there has the same name', async () => {
    await world.warm({ ensure: 5 });
    const other = await startKubernetesServer();
    onTestFinished(() => other.close());
    other.setReplicas(5);

    await expect(worldOf(other).release(lease())).rejects.toMatchObject({
      message: `Remote capacity was not given back: mesh.yaml names a bridge at another address now: ${ID} there is left as it is`,
      nonRetryable: true,
    });
    await expect(worldOf(other).reacquire(lease())).rejects.toMatchObject({ nonRetryable: true });
    expect([cluster.replicas(), other.replicas()]).toEqual([5, 5]);
  });

  test('goes by the numbers of the bridge that is there now, when it was moved while the lease was kept', async () => {
    await world.warm({ ensure: 5 });
    const other = await startKubernetesServer();
    onTestFinished(() => other.close());
    other.setReplicas(2);
    const moved = worldOf(other);
    await moved.warm({ ensure: 3 });

    const [first, second] = [lease(), moved.leases[0] as Lease];
    const both = extendLease(first, second);

    expect(both).toMatchObject({ restorePoint: { originalCount: 2, countsSetByMesh: [3] } });
    expect(await moved.release(both)).toMatchObject({ detail: `${ID} went back from 3 to 2 replicas` });
  });

  test.each([
    ['switched off', { enabled: false }],
    ['gone from mesh.yaml', undefined],
  ])('fails where replicas were raised and the bridge is %s, and may pass', async (_what, change) => {
    await world.warm({ ensure: 5 });
    const bridge = change && { kind: 'kubernetes', url: cluster.url, token: '${env:TOKEN}', ...change };
    const without = capacityWorld({ config: bridge ? { bridge } : {} });

    await expect(without.release(lease())).rejects.toMatchObject({
      type: 'bridge-failed',
      nonRetryable: false,
      message: `Remote capacity was not given back: no bridge is active in mesh.yaml, so ${ID} cannot be lowered to 0`,
    });
    const { restorePoint: _restorePoint, ...nothingRaised } = lease();
    expect(await without.release(nothingRaised)).toMatchObject({ status: 'skipped' });
  });

  test('has nothing to do where the object is gone', async () => {
    await world.warm();
    cluster.exists(false);

    expect(await world.release(lease())).toMatchObject({ status: 'skipped', reason: `${ID} is gone` });
  });
});

describe('what was given back while somebody asked for it', () => {
  test('is raised again, and the restore point is told', async () => {
    cluster.setReplicas(1);
    await world.warm({ ensure: 5 });
    await world.release(lease());

    expect(await world.reacquire(lease())).toMatchObject({
      status: 'executed',
      restorePoint: { originalCount: 1, countsSetByMesh: [5] },
    });
    expect(cluster.replicas()).toBe(5);
  });

  test('is left as it is where it is still there', async () => {
    await world.warm({ ensure: 5 });

    const report = await world.reacquire(lease());

    expect(report).toMatchObject({ status: 'executed' });
    expect(report).not.toHaveProperty('restorePoint');
    expect(cluster.calls.filter((call) => call.startsWith('PATCH'))).toEqual(['PATCH /scale 5']);
  });

  test('is nothing that anybody but the mesh has lowered', async () => {
    const { restorePoint: _restorePoint, ...enough } = asked();

    expect(await world.reacquire(enough)).toMatchObject({ status: 'executed' });
    expect(cluster.calls).toEqual([]);
  });

  test('is not asked of another object, which mesh.yaml may name by now', async () => {
    const other = { ...asked(), targetHash: 'another' };

    await expect(world.reacquire(other)).rejects.toMatchObject({
      nonRetryable: true,
      message: `Remote capacity could not be re-acquired: mesh.yaml names a bridge at another address now: ${ID} there is left as it is`,
    });
    expect(cluster.calls).toEqual([]);
  });

  test('is not asked for against the policy', async () => {
    const { reacquire } = capacityWorld({ config: { policy: { allowRemoteSessions: false } } });

    expect(await reacquire(asked())).toMatchObject({
      status: 'skipped',
      reason: 'Remote sessions are blocked by policy',
    });
  });

  test('is seen: a change that is on its way when the release is called off has ended with it', async () => {
    await world.warm({ ensure: 5 });
    const releasing = world.startReleasing(lease());
    cluster.beforePatch(() => releasing.cancel());

    expect(await releasing.report).toMatchObject({ detail: `${ID} went back from 5 to 0 replicas` });
    expect(await world.reacquire(lease())).toMatchObject({ restorePoint: { originalCount: 0, countsSetByMesh: [5] } });
    expect(cluster.replicas()).toBe(5);
  });
});

const asked = () =>
  world.aLease({ environment: ID, ensure: 2, restorePoint: { originalCount: 0, countsSetByMesh: [] } });
