import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { capacityWorld, type CapacityWorld } from '#test/support/capacity-world.js';
import { type LossyProxy, startLossyProxy } from '#test/support/lossy-proxy.js';
import { type ReferenceBridge, startReferenceBridge } from '#test/support/reference-bridge.js';

// Against the bridge that is shipped as an example, as a process of its own, behind a proxy that can lose answers.

let bridge: ReferenceBridge;
let proxy: LossyProxy;
let world: CapacityWorld;

async function start(...args: string[]): Promise<void> {
  bridge = await startReferenceBridge(args);
  proxy = await startLossyProxy(bridge.url);
  world = capacityWorld({ config: { bridge: { url: proxy.url }, outbound: { privateHosts: ['127.0.0.1'] } } });
}

afterEach(async () => {
  await proxy.close();
  await bridge.stop();
});

interface Shown {
  wanted: number;
  ready: number;
  until?: string;
}

async function environment(): Promise<Shown> {
  return (await fetch(`${bridge.url}/v1/environments/env-1`)).json() as Promise<Shown>;
}

function iso(at: number | undefined): string {
  return new Date(at ?? 0).toISOString();
}

function lastLease() {
  const lease = world.leases.at(-1);
  if (!lease) throw new Error('no lease was kept');
  return lease;
}

describe('warming up', () => {
  test('takes what was asked for, until then', async () => {
    await start();

    expect(await world.warm({ ensure: 3 })).toMatchObject({ status: 'executed' });
    expect(await environment()).toMatchObject({ wanted: 3, ready: 3, until: iso(lastLease().untilAt) });
  });

  test('waits for capacity that takes a while', async () => {
    await start('--warm-ms', '600');

    expect(await world.warm({ ensure: 2 })).toMatchObject({ status: 'executed' });
    expect(await environment()).toMatchObject({ ready: 2 });
  });

  test('never says warm when it takes longer than there is time', async () => {
    await start('--warm-ms', '60000');

    await expect(world.warm({ timeoutMs: 3_000 })).rejects.toThrow(
      'Remote warm-up failed: environment env-1 has 0 of 1 ready within 3000ms',
    );
  });

  test('makes the default environment once, even if the answer to that is lost', async () => {
    await start('--empty');
    proxy.loseAnswerTo('POST /v1/environments');
    const plan = { createDefaultEnvironmentIfMissing: true };

    await expect(world.warm(plan)).rejects.toThrow(/^Remote warm-up failed: /);

    expect(await world.warm(plan)).toMatchObject({ detail: 'Remote capacity warmed for environment env-1' });
    const { environments } = (await (await fetch(`${bridge.url}/v1/environments`)).json()) as { environments: [] };
    expect(environments).toHaveLength(1);
  });

  test('a lost answer: the bridge took it, the next attempt takes nothing more, and the lease is longer', async () => {
    await start();
    proxy.loseAnswerTo('POST /v1/capacity');

    await expect(world.warm({ ensure: 2 })).rejects.toThrow(/^Remote warm-up failed: /);
    expect(await environment()).toMatchObject({ wanted: 2 });
    expect(world.leases).toHaveLength(1);

    expect(await world.warm({ ensure: 2, forMs: 1_800_000 })).toMatchObject({ status: 'executed' });
    expect(await environment()).toMatchObject({ wanted: 2, ready: 2, until: iso(lastLease().untilAt) });
    expect(new Set(world.leases.map(({ effectKey }) => effectKey)).size).toBe(1);
  });
});

describe('giving back', () => {
  beforeEach(() => start());

  test('ends what was asked for', async () => {
    await world.warm({ ensure: 3 });

    expect(await world.release(lastLease())).toEqual({
      status: 'executed',
      detail: 'Remote capacity of environment env-1 was given back',
      attempts: 1,
    });
    expect(await environment()).toMatchObject({ wanted: 0, ready: 0 });
  });

  test('twice is the same as once', async () => {
    await world.warm();
    proxy.loseAnswerTo('POST /v1/release');

    await expect(world.release(lastLease())).rejects.toThrow(/^Remote capacity was not given back: /);

    expect(await world.release(lastLease())).toMatchObject({ status: 'executed' });
    const released = () => bridge.lines().filter((line) => line.includes('/v1/release'));
    const once = expect.stringContaining('"released":1') as string;
    await expect.poll(released, { timeout: 5_000 }).toEqual([once, once]);
  });

  test('leaves what another remediation has asked for until later', async () => {
    await world.warm({ effectKey: 'remediation/default/r/1/warm', ensure: 5, forMs: 600_000 });
    await world.warm({ effectKey: 'remediation/default/r/2/warm', ensure: 2, forMs: 1_200_000 });
    const [first] = world.leases;
    if (!first) throw new Error('no lease was kept');
    expect(await environment()).toMatchObject({ wanted: 5, until: iso(lastLease().untilAt) });

    await world.release(first);

    expect(await environment()).toMatchObject({ wanted: 2, until: iso(lastLease().untilAt) });
  });

  test('what was given back can be asked for again under the same key, and given back again', async () => {
    await world.warm({ forMs: 600_000 });
    await world.release(lastLease());

    await world.warm({ forMs: 1_200_000 });
    expect(await environment()).toMatchObject({ wanted: 1 });

    await world.release(lastLease());
    expect(await environment()).toMatchObject({ wanted: 0 });
  });

  test('before its time ends also what was asked for since, which is then had again, and given back with it', async () => {
    await world.warm({ effectKey: 'remediation/default/r/1/warm', forMs: 1_200_000 });
    const cancelled = lastLease();
    await world.warm({ effectKey: 'remediation/default/r/2/warm', ensure: 2, forMs: 600_000 });
    const asked = lastLease();

    await world.release(cancelled);
    expect(await environment()).toMatchObject({ wanted: 0 });

    expect(await world.reacquire(asked)).toMatchObject({ status: 'executed' });
    expect(await world.reacquire(asked)).toMatchObject({ status: 'executed' });
    expect(await environment()).toMatchObject({ wanted: 2, until: iso(asked.untilAt) });

    await world.release(asked);
    expect(await environment()).toMatchObject({ wanted: 0 });
  });

  test('an environment that is gone has nothing to give back', async () => {
    const lease = world.aLease({ environment: 'env-9', untilAt: Date.now() });

    expect(await world.release(lease)).toMatchObject({ status: 'skipped', reason: 'Environment env-9 is gone' });
  });
});

test('the bridge keeps to `until` by itself', async () => {
  await start();
  const body = JSON.stringify({ environment: 'env-1', ensure: 1, until: iso(Date.now() + 3_000) });
  await fetch(`${bridge.url}/v1/capacity`, { method: 'POST', headers: { 'idempotency-key': 'k' }, body });
  expect(await environment()).toMatchObject({ wanted: 1 });

  await expect.poll(environment, { timeout: 10_000 }).toMatchObject({ wanted: 0, ready: 0 });
});
