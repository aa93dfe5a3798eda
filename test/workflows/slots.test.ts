import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createWorkflows } from '#adapters/temporal/create-workflows.js';
import type { Workflows } from '#adapters/temporal/workflows.js';
import { slotsId } from '#contract/ids.js';
import { QUERIES, REMEDIATION_SIGNALS, SLOTS_SIGNALS, WORKFLOW_TYPES } from '#contract/names.js';
import type { SlotBook, SlotHolder, SlotRequest, SlotsInput } from '#contract/slots.js';
import { type BareWorker, startBareWorker } from '../support/bare-worker.js';
import { eventually } from '../support/eventually.js';

let worker: BareWorker;
let workflows: Workflows;
let launcher: string;
let count = 0;
/** The runs that are closed, as the activity says; and those that it was asked about. */
let closed: Set<string>;
let lookedAt: SlotHolder[];

beforeAll(async () => {
  worker = await startBareWorker({
    findClosed: async (holders) => {
      lookedAt.push(...holders);
      return holders.filter(({ run }) => closed.has(run));
    },
  });
  workflows = createWorkflows(worker.client, worker.taskQueue);
});

beforeEach(() => {
  launcher = `launcher ${count++}`;
  [closed, lookedAt] = [new Set(), []];
});

afterAll(async () => {
  const ids = Array.from({ length: count }, (_, index) => slotsId(worker.taskQueue, `launcher ${index}`));
  await Promise.allSettled(ids.map((id) => worker.client.workflow.getHandle(id).terminate('the test is over')));
  await worker.stop();
});

const id = () => slotsId(worker.taskQueue, launcher);
const handle = () => worker.client.workflow.getHandle(id());

/** Before anybody asks, with limits of the test's own. */
async function startSlots(more: Partial<SlotsInput>): Promise<void> {
  await worker.start(WORKFLOW_TYPES.slots, id(), { launcher, ...more } satisfies SlotsInput);
}

interface Remediation extends SlotHolder {
  ask(max?: number): Promise<unknown>;
  giveBack(): Promise<void>;
  /** How often it was told that it has a slot. */
  told(): Promise<number>;
  close(): Promise<unknown>;
}

/** A workflow that stands for the remediation of an agent. */
async function aRemediation(key: string): Promise<Remediation> {
  const holder = `remediation of ${key} ${randomUUID()}`;
  const standIn = await worker.start(WORKFLOW_TYPES.slots, holder, { launcher: key } satisfies SlotsInput);
  const close = () => standIn.terminate().catch(() => undefined);
  onTestFinished(async () => void (await close()));
  const { runId: run } = await standIn.describe();
  return {
    key,
    holder,
    run,
    ask: (max = 1) => workflows.askForSlot(launcher, { key, holder, run, max }),
    giveBack: () => handle().signal(SLOTS_SIGNALS.release, { key, run }),
    async told() {
      const signals = ((await standIn.fetchHistory()).events ?? []).flatMap(
        (event) => event.workflowExecutionSignaledEventAttributes?.signalName ?? [],
      );
      return signals.filter((name) => name === REMEDIATION_SIGNALS.slot).length;
    },
    close,
  };
}

const several = (...keys: string[]) => Promise.all(keys.map(aRemediation));

async function shown(): Promise<{ held: string[]; waiting: string[] }> {
  const { held, waiting } = await handle().query<SlotBook>(QUERIES.status);
  const keys = (all: readonly SlotHolder[]) => all.map(({ key }) => key);
  return { held: keys(held), waiting: keys(waiting) };
}

const toBe = (held: string[], waiting: string[] = []) =>
  eventually(`slots of ${held.join()}`, async () => {
    const now = await shown();
    return now.held.join() === held.join() && now.waiting.join() === waiting.join() ? true : undefined;
  });

test('so many are told that they have a slot; the next is told when one is given back', async () => {
  const [a, b, c] = await several('a', 'b', 'c');
  for (const one of [a, b, c]) await one?.ask(2);
  expect(await shown()).toEqual({ held: ['a', 'b'], waiting: ['c'] });
  expect(await c?.told()).toBe(0);

  await b?.giveBack();

  await toBe(['a', 'c']);
  await eventually('the signals', async () => {
    const told = await Promise.all([a, b, c].map(async (one) => one?.told()));
    return told.join() === '1,1,1' ? true : undefined;
  });
});

test('whoever asks again keeps its place, and is told again of the slot that it has', async () => {
  const [a, b, c] = await several('a', 'b', 'c');
  for (const one of [a, b, c, b, a]) await one?.ask();

  expect(await shown()).toEqual({ held: ['a'], waiting: ['b', 'c'] });
  await eventually('both signals', async () => ((await a?.told()) === 2 ? true : undefined));
});

test('of many that ask at once just so many have one, and each has one in the end', async () => {
  const all = await several('a', 'b', 'c', 'd', 'e', 'f');
  await Promise.all(all.map((one) => one.ask(2)));
  expect((await shown()).held).toHaveLength(2);

  const ended = new Set<string>();
  await eventually('the end of all', async () => {
    const { held } = await shown();
    expect(held.length).toBeLessThanOrEqual(2);
    const next = all.find(({ key }) => held.includes(key) && !ended.has(key));
    if (next) await next.giveBack();
    if (next) ended.add(next.key);
    return ended.size === all.length ? true : undefined;
  });
});

test('who leaves the line is not told any more', async () => {
  const [a, b, c] = await several('a', 'b', 'c');
  for (const one of [a, b, c]) await one?.ask();

  await b?.giveBack();
  await a?.giveBack();

  await toBe(['c']);
  expect(await b?.told()).toBe(0);
});

test('one that waits and is closed holds up nobody', async () => {
  const [a, dead, alive] = await several('a', 'dead', 'alive');
  for (const one of [a, dead, alive]) await one?.ask();
  await dead?.close();

  await a?.giveBack();

  await toBe(['alive']);
});

test('the slot of one that is closed is given back while another waits, and not before', async () => {
  await startSlots({ lookMs: 300 });
  const [a, b] = await several('a', 'b');
  await a?.ask();
  await eventually('the signal', async () => ((await a?.told()) === 1 ? true : undefined));
  await a?.close();
  closed.add(a?.run ?? '');
  await toBe(['a']);
  expect(lookedAt).toEqual([]);

  await b?.ask();

  await toBe(['b']);
  expect(lookedAt[0]).toEqual({ key: 'a', holder: a?.holder, run: a?.run });
});

test('of very many all are looked at, in turn', async () => {
  const held = Array.from({ length: 120 }, (_, index) => ({
    key: `k-${index}`,
    holder: 'h',
    run: `${index}`,
    sinceAt: 0,
  }));
  await startSlots({ lookMs: 200, held, max: 120 });
  const waiter = await aRemediation('waiter');
  closed.add('119');

  await waiter.ask(120);

  await eventually('its turn', async () => ((await shown()).held.includes('waiter') ? true : undefined));
  expect(new Set(lookedAt.map(({ run }) => run)).size).toBe(120);
});

test('who has a slot, and who waits, goes on in a run of its own', async () => {
  await startSlots({ maxNews: 3 });
  const first = (await handle().describe()).runId;
  const all = await several('a', 'b', 'c', 'd', 'e');
  for (const one of all) await one.ask(2);
  await toBe(['a', 'b'], ['c', 'd', 'e']);
  for (const one of all.slice(0, 3)) await one.giveBack();

  await toBe(['d', 'e']);
  await eventually('a run of its own', async () => ((await handle().describe()).runId === first ? undefined : true));
  await eventually('that each was told', async () =>
    (await Promise.all(all.map((one) => one.told()))).includes(0) ? undefined : true,
  );
});

test('a history that has grown large goes on in a run of its own, however little has happened', async () => {
  const held = Array.from({ length: 20 }, (_, index) => ({
    key: `h-${index}`.padEnd(40_000, '.'),
    holder: 'h',
    run: 'r',
    sinceAt: 0,
  }));
  await startSlots({ held, lookMs: 200 });
  const first = (await handle().describe()).runId;
  const waiter = await aRemediation('waiter');

  // Each look writes those that have a slot into the history.
  await waiter.ask();

  await eventually('a run of its own', async () => ((await handle().describe()).runId === first ? undefined : true));
  expect(await shown()).toEqual({ held: held.map(({ key }) => key), waiting: ['waiter'] });
});

test('it is completed some time after the last was given back, and started anew by whoever asks then', async () => {
  const [a, b] = await several('a', 'b');
  // Held from the beginning, so that it does not end before anybody has asked.
  await startSlots({
    idleMs: 300,
    max: 1,
    held: [{ key: 'a', holder: a?.holder ?? '', run: a?.run ?? '', sinceAt: 0 }],
  });
  const first = (await handle().describe()).runId;
  await a?.giveBack();

  await handle().result();
  expect((await handle().describe()).status.name).toBe('COMPLETED');
  await b?.ask();

  await toBe(['b']);
  expect((await handle().describe()).runId).not.toBe(first);
});

test('none is lost to a completion, nor granted twice, whenever one asks', async () => {
  const [a, b] = await several('a', 'b');
  for (let idleMs = 1; idleMs <= 30; idleMs += 2) {
    launcher = `launcher ${count++}`;
    await startSlots({ idleMs });

    await Promise.all([a?.ask(), b?.ask()]);

    const { held, waiting } = await shown();
    expect([held.length, waiting.length]).toEqual([1, 1]);
  }
});

test('who asks while it is about to complete, and no worker runs, has a slot all the same', async () => {
  const taskQueue = `${worker.taskQueue}-restarted`;
  const first = await startBareWorker({}, taskQueue);
  const slots = slotsId(taskQueue, launcher);
  await first.start(WORKFLOW_TYPES.slots, slots, { launcher, idleMs: 500 } satisfies SlotsInput);
  const running = worker.client.workflow.getHandle(slots);
  onTestFinished(async () => void (await running.terminate().catch(() => undefined)));
  const timers = async (which: 'timerStarted' | 'timerFired') =>
    (await running.fetchHistory()).events?.find((event) => event[`${which}EventAttributes`]) ? true : undefined;
  await eventually('the timer', () => timers('timerStarted'));
  await first.stop();
  await eventually('its end', () => timers('timerFired'));
  const a = await aRemediation('a');
  const { key, holder, run } = a;

  await createWorkflows(worker.client, taskQueue).askForSlot(launcher, { key, holder, run, max: 1 });
  const second = await startBareWorker({}, taskQueue);
  onTestFinished(() => second.stop());

  expect(await running.query<SlotBook>(QUERIES.status)).toMatchObject({ held: [{ key: 'a' }], waiting: [] });
  await eventually('the signal', async () => ((await a.told()) === 1 ? true : undefined));
});

test('the details show who has a slot, and who waits since when', async () => {
  for (const one of await several('remediation/t/r/1/agent', 'remediation/t/r/2/agent')) await one.ask();

  const { currentDetails } = await handle().query<{ currentDetails?: string }>('__temporal_workflow_metadata');

  expect(currentDetails).toContain(`1 slot of \`${launcher}\` taken`);
  expect(currentDetails).toContain('- `remediation/t/r/1/agent` since 20');
  expect(currentDetails).toContain('### In line: 1\n\n- `remediation/t/r/2/agent` since 20');
});

test('what is signalled by hand, and names no slot, changes nothing', async () => {
  const [a] = await several('a');
  await a?.ask();
  const request: SlotRequest = { key: 'x', holder: 'h', run: 'r', max: 1 };
  const nothings = [null, 'a', {}, { key: 7 }, { key: 'a', run: 7 }];
  for (const given of nothings) await handle().signal(SLOTS_SIGNALS.release, given);
  const nobodies = [{ holder: '' }, { holder: 'x'.repeat(1_001) }, { run: 7 }, { max: 0 }, { max: 'two' }];
  for (const given of [...nothings, ...nobodies.map((more) => ({ ...request, ...more }))]) {
    await handle().signal(SLOTS_SIGNALS.acquire, given);
  }

  expect(await shown()).toEqual({ held: ['a'], waiting: [] });
});

test('whether a run is closed, and since when', async () => {
  await startSlots({ idleMs: 1 });
  const { runId } = await handle().describe();
  await handle().result();

  const closedAt = await workflows.closedAt(id(), runId);
  expect(closedAt).toBeGreaterThan(Date.now() - 60_000);
  await (await aRemediation('a')).ask();
  expect(await workflows.closedAt(id(), (await handle().describe()).runId)).toBeUndefined();
  expect(await workflows.closedAt(id(), runId)).toBe(closedAt);
  expect(await workflows.closedAt(`${id()}-never`, runId)).toBe(0);
  await expect(worker.client.workflow.getHandle(`${id()}-never`).describe()).rejects.toThrow(WorkflowNotFoundError);
});
