import { setTimeout as wait } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createWorkflows } from '#adapters/temporal/create-workflows.js';
import { makeTakeSlot } from '#adapters/temporal/take-slot.js';
import type { Workflows } from '#adapters/temporal/workflows.js';
import { slotsId } from '#contract/ids.js';
import { SLOTS_SIGNALS, SLOTS_UPDATES, WORKFLOW_TYPES } from '#contract/names.js';
import { MAX_ASKED_TOGETHER, type SlotAnswer, type SlotRequest, type SlotsInput } from '#contract/slots.js';
import { type BareWorker, startBareWorker } from '../support/bare-worker.js';
import { eventually } from '../support/eventually.js';

let worker: BareWorker;
let workflows: Workflows;
let launcher: string;
let count = 0;

beforeAll(async () => {
  worker = await startBareWorker({});
  workflows = createWorkflows(worker.client, worker.taskQueue);
});

beforeEach(() => {
  launcher = `launcher ${count++}`;
});

afterAll(async () => {
  const ids = Array.from({ length: count }, (_, index) => slotsId(worker.taskQueue, `launcher ${index}`));
  await Promise.allSettled(ids.map((id) => worker.client.workflow.getHandle(id).terminate('the test is over')));
  await worker.stop();
});

const id = () => slotsId(worker.taskQueue, launcher);
const handle = () => worker.client.workflow.getHandle(id());

function asked(key: string, overrides: Partial<SlotRequest> = {}): SlotRequest {
  const holder = `remediation/t/r/${key}`;
  return { key, claim: `${key} 1`, holder, run: 'run-1', startedAt: 0, max: 1, ...overrides };
}

const NEVER = new AbortController().signal;

async function take(key: string, overrides: Partial<SlotRequest> = {}): Promise<SlotAnswer> {
  return answered(await workflows.takeSlot(launcher, asked(key, overrides), NEVER));
}

function answered(answer: Awaited<ReturnType<Workflows['takeSlot']>>): SlotAnswer {
  if (answer.state === 'unanswered') throw new Error(answer.reason);
  return answer;
}

const giveBack = (key: string, claim = `${key} 1`) => workflows.giveBackSlot({ slots: id(), key, claim });

/** Before anybody asks, with limits of the test's own. */
async function startSlots(more: Partial<SlotsInput>): Promise<void> {
  await worker.start(WORKFLOW_TYPES.slots, id(), { launcher, ...more } satisfies SlotsInput);
}

function heldIn(answer: SlotAnswer): string[] {
  return answer.state === 'busy' ? answer.held.map(({ key }) => key) : [];
}

test('a slot is granted to so many, and the next hears who has them', async () => {
  const answers = [await take('a', { max: 2 }), await take('b', { max: 2 }), await take('c', { max: 2 })];

  expect(answers.slice(0, 2)).toEqual([{ state: 'granted' }, { state: 'granted' }]);
  expect(answers[2]).toMatchObject({
    state: 'busy',
    held: [{ key: 'a', claim: 'a 1', holder: 'remediation/t/r/a', run: 'run-1' }, { key: 'b' }],
  });
});

test('who has a slot has it when it asks again; given back, it is for the next', async () => {
  await take('a');
  expect(await take('a', { claim: 'a 2' })).toMatchObject({ state: 'granted' });
  await giveBack('a', 'a 1');
  expect(heldIn(await take('b'))).toEqual(['a']);

  await giveBack('a', 'a 2');

  expect(await take('b')).toMatchObject({ state: 'granted' });
});

const many = (count: number, chars = 0) =>
  Array.from({ length: count }, (_, index) => ({
    key: `h-${index}`.padEnd(chars, '.'),
    claim: 'c',
    holder: 'h',
    run: 'r',
    sinceAt: 0,
  }));

test('whoever is refused hears of some that have slots, and of others the next time', async () => {
  await startSlots({ held: many(30) });

  const answers = [await take('a'), await take('b')].map(heldIn);

  expect(answers.map(({ length }) => length)).toEqual([20, 20]);
  expect(new Set(answers.flat()).size).toBe(30);
});

test('a history that has grown large goes on in a run of its own, however little has happened', async () => {
  await startSlots({ held: many(20, 40_000) });
  const first = (await handle().describe()).runId;

  for (let asking = 0; asking < 6; asking++) await take('a');

  await eventually('a run of its own', async () => ((await handle().describe()).runId === first ? undefined : true));
  expect(heldIn(await take('b'))).toHaveLength(20);
});

test('of many that ask at once just so many have one', async () => {
  const keys = Array.from({ length: 8 }, (_, index) => `k-${index}`);

  const answers = await Promise.all(keys.map((key) => take(key, { max: 3 })));

  expect(answers.filter(({ state }) => state === 'granted')).toHaveLength(3);
});

/** A workflow that stands for the remediation of an agent that waits. */
async function aRemediation(
  key: string,
): Promise<{ holder: string; isTold(): Promise<boolean>; toldAt(): Promise<number> }> {
  const holder = `remediation of ${key} for ${launcher} on ${worker.taskQueue}`;
  const standIn = await worker.start(WORKFLOW_TYPES.slots, holder, { launcher: key } satisfies SlotsInput);
  onTestFinished(async () => void (await standIn.terminate().catch(() => undefined)));
  const turn = async () =>
    ((await standIn.fetchHistory()).events ?? []).find(
      (event) => event.workflowExecutionSignaledEventAttributes?.signalName === 'slot',
    );
  return {
    holder,
    isTold: async () => (await turn()) !== undefined,
    toldAt: async () => {
      const { seconds, nanos } = (await turn())?.eventTime ?? {};
      return Number(seconds) * 1_000 + Number(nanos) / 1e6;
    },
  };
}

const told = (who: { isTold(): Promise<boolean> }) =>
  eventually('the signal', async () => ((await who.isTold()) ? true : undefined));

test('a slot that is free is kept for the oldest in line, which is told; whoever comes is behind it', async () => {
  const [younger, older] = [await aRemediation('younger'), await aRemediation('older')];
  await take('a');
  await take('younger', { ...younger, startedAt: 2 });
  await take('older', { ...older, startedAt: 1 });

  await giveBack('a');

  await told(older);
  expect(heldIn(await take('newcomer', { startedAt: 3 }))).toEqual(['older']);
  expect(await take('older', { ...older, startedAt: 1, claim: 'older 2' })).toEqual({ state: 'granted' });
  expect(await younger.isTold()).toBe(false);
  await giveBack('older', 'older 2');
  await told(younger);
});

test('one whose remediation is closed holds up nobody', async () => {
  const alive = await aRemediation('alive');
  await take('a');
  await take('dead', { startedAt: 1 });
  await take('alive', { ...alive, startedAt: 2 });

  await giveBack('a');

  await told(alive);
});

test('one that does not come holds up the next for a while only', async () => {
  await startSlots({ keptForMs: 2_000 });
  const [stuck, alive] = [await aRemediation('stuck'), await aRemediation('alive')];
  await take('a');
  await take('stuck', { ...stuck, startedAt: 1 });
  await take('alive', { ...alive, startedAt: 2 });

  await giveBack('a');

  await told(alive);
  // By the clock of the server: a look at the other meanwhile may come too late. That one may be told a moment late too.
  expect((await alive.toldAt()) - (await stuck.toldAt())).toBeGreaterThan(1_000);
  // It comes, so that its turn is not over before another one asks.
  expect(await take('alive', { ...alive, startedAt: 2, claim: 'alive 2' })).toEqual({ state: 'granted' });
  expect(heldIn(await take('another', { startedAt: 3 }))).toEqual(['alive']);
});

test('the line goes on in a run of its own', async () => {
  await startSlots({ maxNews: 2 });
  const waiting = [await aRemediation('1'), await aRemediation('2')];
  await take('a');
  for (const [index, one] of waiting.entries()) await take(`w-${index}`, { ...one, startedAt: index });

  await giveBack('a');
  await eventually('the first', async () => ((await waiting[0]?.isTold()) ? true : undefined));
  await giveBack('w-0');

  await eventually('the second', async () => ((await waiting[1]?.isTold()) ? true : undefined));
});

test('it is completed some time after the last was given back, and started anew by whoever asks then', async () => {
  // Held from the beginning, so that it does not end before anybody has asked.
  await startSlots({ idleMs: 300, held: [{ key: 'a', claim: 'a 1', holder: 'h', run: 'r', sinceAt: 0 }] });
  const first = (await handle().describe()).runId;
  await giveBack('a');

  await handle().result();
  expect((await handle().describe()).status.name).toBe('COMPLETED');
  await giveBack('a');
  expect(await take('b')).toMatchObject({ state: 'granted' });

  expect((await handle().describe()).runId).not.toBe(first);
});

test('none is lost to a completion, nor granted twice, whenever one asks', async () => {
  for (let idleMs = 1; idleMs <= 30; idleMs += 2) {
    launcher = `launcher ${count++}`;
    await startSlots({ idleMs });

    const answers = await Promise.all([take('a'), take('b')]);

    const granted = answers.flatMap(({ state }, index) => (state === 'granted' ? (['a', 'b'][index] ?? []) : []));
    expect(granted).toHaveLength(1);
    expect(heldIn(await take('c'))).toEqual(granted);
  }
});

test('who asks while it is about to complete, and no worker runs, has a slot all the same', async () => {
  const first = await startBareWorker({});
  const port = createWorkflows(worker.client, first.taskQueue);
  const slots = slotsId(first.taskQueue, launcher);
  await first.start(WORKFLOW_TYPES.slots, slots, { launcher, idleMs: 500 } satisfies SlotsInput);
  const running = worker.client.workflow.getHandle(slots);
  const timers = async (which: 'timerStarted' | 'timerFired') =>
    (await running.fetchHistory()).events?.find((event) => event[`${which}EventAttributes`]) ? true : undefined;
  await eventually('the timer', () => timers('timerStarted'));
  await first.stop();
  await eventually('its end', () => timers('timerFired'));

  const answer = port.takeSlot(launcher, asked('a'), NEVER);
  const second = await startBareWorker({}, first.taskQueue);

  expect(await answer).toMatchObject({ state: 'granted' });
  expect(heldIn(answered(await port.takeSlot(launcher, asked('b'), NEVER)))).toEqual(['a']);
  await running.terminate();
  await second.stop();
});

test('who gives back before the question is heard, since no worker ran, has no slot and stands in no line', async () => {
  const taskQueue = `${worker.taskQueue}-late`;
  const port = createWorkflows(worker.client, taskQueue);
  const slots = slotsId(taskQueue, launcher);
  const running = worker.client.workflow.getHandle(slots);
  const patience = new AbortController();
  const question = port.takeSlot(launcher, asked('a'), patience.signal);
  await eventually('the workflow', () => running.describe());
  // It is there before the question has been put to it.
  await wait(300);
  patience.abort();
  expect(await question).toMatchObject({ state: 'unanswered' });
  await port.giveBackSlot({ slots, key: 'a', claim: 'a 1' });

  const late = await startBareWorker({}, taskQueue);
  onTestFinished(() => late.stop());

  expect(await port.takeSlot(launcher, asked('b'), NEVER)).toEqual({ state: 'granted' });
  const another = await port.takeSlot(launcher, asked('a', { claim: 'a 2' }), NEVER);
  expect(heldIn(answered(another))).toEqual(['b']);
  await running.terminate();
});

test('it goes on in a run of its own, with what it knows, and no slot is lost or granted twice', async () => {
  await startSlots({ maxNews: 3 });
  await take('kept', { max: 9 });
  const shown = await shownOf('kept');

  for (let round = 0; round < 3; round++) {
    const keys = ['a', 'b', 'c', 'd'].map((key) => `${key}-${round}`);
    const answers = await Promise.all(keys.map((key) => take(key, { max: 3 })));
    expect(answers.filter(({ state }) => state === 'granted')).toHaveLength(2);
    await Promise.all(keys.map((key) => giveBack(key)));
  }

  const runs = await eventually('the runs in the list', async () => {
    const query = `WorkflowId = '${id()}' AND ExecutionStatus = 'ContinuedAsNew'`;
    const { count: number } = await worker.client.workflow.count(query);
    return number > 1 ? number : undefined;
  });
  expect(runs).toBeGreaterThan(1);
  expect(await shownOf('kept')).toBe(shown);
});

test('the details show who has a slot, and who waits', async () => {
  await take('remediation/t/r/1/agent');
  await take('remediation/t/r/2/agent');

  const { currentDetails } = await handle().query<{ currentDetails?: string }>('__temporal_workflow_metadata');

  expect(currentDetails).toContain(`1 slot of \`${launcher}\` taken`);
  expect(currentDetails).toContain('- `remediation/t/r/1/agent` since 20');
  expect(currentDetails).toContain('### In line: 1\n\n- `remediation/t/r/2/agent`, which began 1970-01-01');
});

test('what is asked or signalled by hand, and names no slot, changes nothing', async () => {
  await take('a');
  const nameless = { ...asked('x'), holder: '' };
  const nothings = [null, 'a', {}, { key: 7 }, { key: 'a', claim: 7 }, nameless];
  for (const given of nothings) await handle().signal(SLOTS_SIGNALS.release, given);
  const tooMany = Array.from({ length: MAX_ASKED_TOGETHER + 1 }, () => asked('b'));
  const lists = [[], tooMany, ...nothings.map((given) => [asked('b'), given])];
  for (const question of [...nothings, ...lists.map((requests) => ({ requests }))]) {
    await expect(handle().executeUpdate(SLOTS_UPDATES.acquire, { args: [question] })).rejects.toMatchObject({
      cause: { message: 'this is no question for slots' },
    });
  }

  expect(heldIn(await take('b'))).toEqual(['a']);
});

describe('where no worker answers', () => {
  const listening = 'nobody-listens-here';
  const ofNobody = () => worker.client.workflow.getHandle(slotsId(listening, launcher));

  test('it is given up in time, and why names the workflow that was asked', async () => {
    const takeSlot = makeTakeSlot(worker.client, listening, 150);
    // In so short a time it may not even have been started.
    const terminate = () => ofNobody().terminate();
    onTestFinished(async () => void (await terminate().catch(() => undefined)));

    expect(await takeSlot(launcher, asked('a'), NEVER)).toEqual({
      state: 'unanswered',
      reason: expect.stringContaining(
        `could not ask the workflow ${slotsId(listening, launcher)} for a slot: `,
      ) as string,
    });
  });

  test('who is cancelled waits no longer', async () => {
    const takeSlot = makeTakeSlot(worker.client, listening, 10_000);
    const controller = new AbortController();
    const startedAt = performance.now();

    const answer = takeSlot(launcher, asked('a'), controller.signal);
    await eventually('the workflow', () => ofNobody().describe());
    onTestFinished(async () => void (await ofNobody().terminate()));
    controller.abort();

    expect(await answer).toMatchObject({ state: 'unanswered' });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

test('three hundred that ask at once are asked for together, and the oldest of them have the slots', async () => {
  const keys = Array.from({ length: 300 }, (_, index) => `k-${index}`);
  // A call is under way when the crowd comes, so all of it is there by the next.
  const first = take('first', { max: 4 });
  const ask = (key: string, index: number) =>
    workflows.takeSlot(launcher, asked(key, { max: 4, startedAt: 300 - index }), NEVER);

  const [, ...answers] = await Promise.all([first, ...keys.map(ask)]);

  const states = answers.map(({ state }) => state);
  expect(states.filter((state) => state === 'granted')).toHaveLength(3);
  expect(states.filter((state) => state === 'busy')).toHaveLength(297);
  // The first fifty are one question.
  expect(states.slice(47, 50)).toEqual(['granted', 'granted', 'granted']);
  const updates = ((await handle().fetchHistory()).events ?? []).filter(
    (event) => event.workflowExecutionUpdateAcceptedEventAttributes,
  );
  expect(updates).toHaveLength(7);
  // One of those that were refused together looks after who has the slots.
  expect(answers.map(answered).filter((answer) => heldIn(answer).length > 0)).toHaveLength(6);
});

test('what the workflow refuses is refused for good', async () => {
  await expect(workflows.takeSlot(launcher, asked('a', { holder: '' }), NEVER)).rejects.toThrow(
    'this is no question for slots',
  );
});

test('whether a run is closed, and since when', async () => {
  await startSlots({ idleMs: 1 });
  const { runId } = await handle().describe();
  await handle().result();

  const closedAt = await workflows.closedAt(id(), runId);
  expect(closedAt).toBeGreaterThan(Date.now() - 60_000);
  await take('a');
  expect(await workflows.closedAt(id(), (await handle().describe()).runId)).toBeUndefined();
  expect(await workflows.closedAt(id(), runId)).toBe(closedAt);
  expect(await workflows.closedAt(`${id()}-never`, runId)).toBe(0);
  await expect(worker.client.workflow.getHandle(`${id()}-never`).describe()).rejects.toThrow(WorkflowNotFoundError);
});

/** What the details say of one that has a slot, such as since when. */
async function shownOf(key: string): Promise<string> {
  const { currentDetails = '' } = await handle().query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  const line = currentDetails.split('\n').find((one) => one.startsWith(`- \`${key}\` `));
  if (line === undefined) throw new Error(`${key} has no slot`);
  return line;
}
