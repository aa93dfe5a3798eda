import { randomUUID } from 'node:crypto';
import { CancelledFailure } from '@temporalio/common';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SpawnAnswer, SpawnRequest } from '#contract/activities.js';
import { eventually } from '#test/support/eventually.js';
import { createSlotsInMemory } from '#test/support/slots-in-memory.js';
import { createSpawnBench, type SpawnBench, type SpawnSetup } from '#test/support/spawn-activity.js';
import { tempFolder } from '#test/support/temp-folder.js';
import { OWN_REMEDIATION, ownSpawnRequest } from './own-spawn-request.js';

const saying = (text: string, more: Record<string, unknown> = {}) => ({ command: ['echo', text], ...more });

function bench(agents: Record<string, unknown>, tellWatch?: () => Promise<unknown>) {
  return createSpawnBench({ agents, folder: tempFolder(), ...(tellWatch && { tellWatch }) });
}

describe('the launcher is', () => {
  const agents = { default: saying('the default one'), reviewer: saying('the reviewer') };

  test.each([
    [undefined, 'the default one'],
    ['reviewer', 'the reviewer'],
    ['Reviewer', 'the default one'],
    ['constructor', 'the default one'],
    ['__proto__', 'the default one'],
  ])('for the agent type %s: %s', async (agentType, outputTail) => {
    const answer = await bench(agents).spawn(ownSpawnRequest({ plan: { agentType } })).answer;

    expect(answer).toMatchObject({ agent: { outputTail } });
  });

  test('the one that the workflow asks for', async () => {
    const request = ownSpawnRequest({ plan: { agentType: 'default' }, request: { launcher: 'reviewer' } });

    expect(await bench(agents).spawn(request).answer).toMatchObject({ agent: { outputTail: 'the reviewer' } });
  });

  test('none where none is configured', async () => {
    expect(await bench({ reviewer: saying('x') }).failure(ownSpawnRequest({ plan: { agentType: 'other' } }))).toEqual({
      type: 'no-launcher',
      message: 'No fallback agent launcher is registered in runtime context',
      isFinal: true,
      retryAfterMs: undefined,
      details: { attempts: 1 },
    });
  });

  test('the next of those that are left, where it was taken out of the configuration meanwhile', async () => {
    const chain = { default: saying('x', { fallbacks: ['reviewer'] }), reviewer: saying('the reviewer') };
    const request = ownSpawnRequest({ request: { launcher: 'gone', tried: ['default'] } });

    expect(await bench(chain).spawn(request).answer).toMatchObject({ agent: { launcher: 'reviewer' } });
  });

  test('none any more where it was taken out, and the others have been tried', async () => {
    const request = ownSpawnRequest({ request: { launcher: 'gone', tried: ['default'] } });

    expect(await bench(agents).failure(request)).toMatchObject({
      type: 'no-launcher',
      message: 'The launcher gone is no longer configured for this agent type',
      isFinal: true,
    });
  });

  test('none by one that was changed meanwhile, and had asked for an agent elsewhere that may be at work', async () => {
    const agent = { launcher: 'default', session: 's-1', outcome: 'running' } as const;
    const asked = { attempts: 1, launcher: 'default', agent, mayStillRun: true, askedBy: 'http' } as const;
    const request = ownSpawnRequest({ request: { earlier: asked } });

    expect(await bench(agents).failure(request)).toMatchObject({
      type: 'no-launcher',
      message: 'The launcher default is of another kind now',
      isFinal: true,
      details: { agent, mayStillRun: true },
    });
  });

  test('none in the place of one that was taken out, and whose agent may be at work', async () => {
    const agent = { launcher: 'gone', session: 's-1', outcome: 'running' } as const;
    const earlier = { attempts: 1, launcher: 'gone', agent, mayStillRun: true } as const;
    const request = ownSpawnRequest({ request: { launcher: 'gone', earlier } });

    expect(await bench(agents).failure(request)).toMatchObject({
      type: 'no-launcher',
      details: { agent, mayStillRun: true },
    });
  });
});

describe('after a launcher comes', () => {
  const agents = {
    default: saying('x', { fallbacks: ['b', 'c'] }),
    b: saying('x', { fallbacks: ['d', 'c'] }),
    c: saying('x'),
    d: saying('x', { fallbacks: ['e'] }),
    e: saying('x'),
    alone: saying('x'),
  };

  test.each([
    [undefined, undefined, 'b'],
    [undefined, 'b', 'd'],
    [undefined, 'd', 'e'],
    [undefined, 'e', 'c'],
    [undefined, 'c', undefined],
    ['b', undefined, 'd'],
    ['b', 'c', undefined],
    ['alone', undefined, undefined],
    ['alone', 'c', undefined],
  ])('for the agent type %s after %s: %s', async (agentType, launcher, next) => {
    const request = ownSpawnRequest({ plan: { agentType }, request: launcher === undefined ? {} : { launcher } });

    const answer = await bench(agents).spawn(request).answer;

    expect('next' in answer ? answer.next : undefined).toBe(next);
  });
});

/** Of a remediation of its own. */
const another = (request: Partial<SpawnRequest> = {}) => {
  const id = `${OWN_REMEDIATION}-${randomUUID()}`;
  return ownSpawnRequest({ remediation: { id }, plan: { effectKey: `${id}/agent` }, request });
};

describe('with every slot taken', () => {
  const agents = {
    default: { command: ['cat'], maxConcurrent: 2, fallbacks: ['other'] },
    other: { command: ['true'] },
  };
  const busy = { state: 'busy', launcher: 'default', slots: 2, next: 'other' };
  let open: () => void;
  let running: SpawnRequest[];
  let ends: Promise<SpawnAnswer>[];
  let closedAt: Map<string, number>;
  let isServerAway: boolean;
  let mesh: SpawnBench;

  beforeEach(async () => {
    const gate = new Promise<void>((resolve) => (open = resolve));
    closedAt = new Map();
    isServerAway = false;
    mesh = createSpawnBench({
      agents,
      folder: tempFolder(),
      tellWatch: () => gate,
      closedAt: async (id) => {
        if (isServerAway) throw new Error('the server is away');
        return closedAt.get(id);
      },
    });
    running = [another(), another()];
    ends = running.map((request) => mesh.spawn(request).answer);
    await eventually('two agents', () => (mesh.slots.of('default').length === 2 ? true : undefined));
  });

  afterEach(async () => {
    open();
    await Promise.all(ends);
  });

  test('an agent too many hears of it at once; other launchers have slots of their own', async () => {
    const request = another();
    expect(await mesh.spawn(request, { runId: 'run-7' }).answer).toEqual({
      ...busy,
      slot: { slots: 'slots/test/default', key: request.plan.effectKey, claim: 'run-7 test 1' },
    });
    expect(await mesh.spawn(another(), { attempt: 3 }).answer).toMatchObject({ ...busy, attempts: 2 });

    ends.push(mesh.spawn(another({ launcher: 'other' })).answer);
    await eventually('the other one', () => (mesh.slots.of('other').length === 1 ? true : undefined));
  });

  test('the next attempt for an agent that has one needs no other', async () => {
    const [first] = running;
    if (first) ends.push(mesh.spawn(first, { attempt: 2 }).answer);

    await eventually('the second claim', () =>
      mesh.slots.of('default').some(({ claim }) => claim.endsWith(' 2')) ? true : undefined,
    );
    expect(mesh.slots.of('default')).toHaveLength(2);
  });

  test('one that has ended makes room', async () => {
    open();
    await Promise.all(ends);

    expect(mesh.slots.of('default')).toEqual([]);
    expect(await mesh.spawn(another()).answer).toMatchObject({ state: 'finished' });
  });

  test('one whose remediation is closed loses its slot, once its agent has had time to end', async () => {
    const [first = '', second = ''] = running.map(({ remediation }) => remediation.id);
    const next = another();
    closedAt.set(first, Date.now() - 5_000);
    expect(await mesh.spawn(next).answer).toMatchObject(busy);

    closedAt.set(first, Date.now() - 11_000);
    ends.push(mesh.spawn(next).answer);

    await eventually('its turn', () =>
      mesh.slots.of('default').some(({ holder }) => holder === next.remediation.id) ? true : undefined,
    );
    expect(mesh.slots.of('default').map(({ holder }) => holder)).toEqual([second, next.remediation.id]);
  });

  test('one waits all the same when nobody can say whether their remediations are closed', async () => {
    isServerAway = true;

    expect(await mesh.spawn(another()).answer).toMatchObject(busy);
  });
});

test.each([
  ['fails', { command: ['false'] }],
  ['cannot be started', { command: ['/nowhere/agent'] }],
])('an agent that %s gives its slot back', async (_what, agent) => {
  const { failure, slots } = bench({ default: { ...agent, maxConcurrent: 1 } });

  await failure(another());

  expect(slots.of('default')).toEqual([]);
});

test('an agent that is aborted gives its slot back', async () => {
  const { spawn, slots, news } = bench({ default: { command: ['sleep', '60'], maxConcurrent: 1 } });
  const { answer, environment } = spawn(another());
  await eventually('the agent', () => news[0]);

  environment.cancel();

  await expect(answer).rejects.toThrow(CancelledFailure);
  expect(slots.of('default')).toEqual([]);
});

test('one that was aborted while no worker was there is not started, and what an attempt before has left is told', async () => {
  const agents = { default: { http: { url: 'http://127.0.0.1:1' } } };
  const mesh = createSpawnBench({ agents, folder: tempFolder(), isCancelRequested: async () => true });
  const request = another();
  const agent = { launcher: 'default', session: 's-1', outcome: 'running' } as const;
  const left = { attempts: 1, launcher: 'default', agent, mayStillRun: true } as const;

  expect(await mesh.spawn(request, { attempt: 2, earlier: left }).answer).toMatchObject({
    state: 'delayed',
    reason: 'it was aborted while no worker was there',
    attempts: 1,
    slot: { slots: 'slots/test/default', key: request.plan.effectKey },
    earlier: { launcher: 'default', agent: { launcher: 'default', outcome: 'running' }, mayStillRun: true },
  });
  expect(mesh.asked).toEqual([]);
});

test('what an attempt leaves behind names its slot: its worker may die', async () => {
  const request = another();
  const { answer, heartbeats } = bench({ default: { command: ['cat'] } }).spawn(request, { runId: 'run-7' });
  await answer;

  // Those after it come two seconds later, which is long enough to die.
  const slot = { slots: 'slots/test/default', key: request.plan.effectKey, claim: 'run-7 test 1' };
  expect(heartbeats[0]).toEqual({ attempts: 1, launcher: 'default', slot });
});

const away = () => Promise.reject(new Error('the server is away'));

describe('a question for a slot', () => {
  const withSlots = (takeSlot: SpawnSetup['takeSlot'], more: Partial<SpawnSetup> = {}) =>
    createSpawnBench({
      agents: { default: saying('x', { fallbacks: ['b'] }), b: saying('x') },
      folder: tempFolder(),
      takeSlot,
      ...more,
    });

  test('that nobody answers costs no attempt: it is asked again later', async () => {
    const { spawn, slots } = withSlots(async () => ({ state: 'unanswered', reason: 'could not ask: busy' }));
    const request = another();

    expect(await spawn(request, { attempt: 2, runId: 'run-7' }).answer).toEqual({
      state: 'delayed',
      reason: 'could not ask: busy',
      launcher: 'default',
      next: 'b',
      slot: { slots: 'slots/test/default', key: request.plan.effectKey, claim: 'run-7 test 2' },
      attempts: 1,
    });
    expect(slots.of('default')).toEqual([]);
  });

  test('that is refused for good fails; what it may be granted all the same, the remediation gives back', async () => {
    const slots = createSlotsInMemory();
    const { failure } = withSlots((...asked) => slots.takeSlot(...asked).then(away), {
      giveBackSlot: slots.giveBackSlot,
    });
    const request = another();

    expect(await failure(request)).toMatchObject({
      type: 'action-error',
      message: 'the server is away',
      details: { launcher: 'default', next: 'b', slot: { key: request.plan.effectKey } },
    });
    expect(slots.of('default')).toEqual([]);
  });

  test('ends with an abort, and what it may be granted after that is given back', async () => {
    const asking: AbortSignal[] = [];
    const { spawn } = withSlots((_launcher, _asked, signal) => {
      asking.push(signal);
      const given: Awaited<ReturnType<NonNullable<SpawnSetup['takeSlot']>>> = {
        state: 'unanswered',
        reason: 'aborted',
      };
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(given)));
    });
    const request = another();
    const { answer, environment } = spawn(request);
    await eventually('the question', () => asking[0]);

    environment.cancel();

    const error: unknown = await answer.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CancelledFailure);
    expect(error).toMatchObject({ details: [{ slot: { key: request.plan.effectKey } }] });
  });
});

test('a configuration that cannot be read costs no attempt, and nothing that was known before', async () => {
  const agent = { launcher: 'default', session: 's-1', outcome: 'running' } as const;
  const slot = { slots: 'slots/test/default', key: 'k', claim: 'c' };
  const earlier = { attempts: 1, launcher: 'default', next: 'b', agent, mayStillRun: true, slot } as const;
  const { spawn } = createSpawnBench({
    agents: {},
    folder: tempFolder(),
    config: { get: () => Promise.resolve({ available: false, problems: [{ path: 'agents', message: 'is broken' }] }) },
  });

  expect(await spawn(another()).answer).toEqual({
    state: 'delayed',
    reason: expect.stringMatching(/^the configuration cannot be read: .*is broken/) as string,
  });
  expect(await spawn(another(), { attempt: 3, earlier }).answer).toEqual({
    state: 'delayed',
    reason: expect.stringContaining('is broken') as string,
    launcher: 'default',
    next: 'b',
    slot,
    earlier,
    attempts: 2,
  });
});

test.each<[string, Record<string, unknown>]>([
  ['failed', { command: ['false'] }],
  ['not been started', { command: ['/nowhere/agent'] }],
])('a slot that cannot be given back is named by the failure of an agent that has %s', async (_what, agent) => {
  const { failure } = createSpawnBench({ agents: { default: agent }, folder: tempFolder(), giveBackSlot: away });
  const request = another();

  expect(await failure(request)).toMatchObject({ details: { slot: { key: request.plan.effectKey } } });
});

test('an agent whose slot cannot be given back has ended all the same', async () => {
  const { spawn } = createSpawnBench({
    agents: { default: saying('done') },
    folder: tempFolder(),
    giveBackSlot: away,
  });
  const request = another();

  expect(await spawn(request).answer).toMatchObject({
    state: 'finished',
    agent: { outputTail: 'done' },
    slot: { key: request.plan.effectKey },
  });
});

test('what nobody expected also says which launcher it was, and who is next', async () => {
  const { failure } = bench({ default: saying('x', { fallbacks: ['b'] }), b: saying('x') }, () =>
    Promise.reject(new Error('the watch is out of reach')),
  );

  expect(await failure(ownSpawnRequest())).toMatchObject({
    type: 'action-error',
    message: 'the watch is out of reach',
    isFinal: false,
    details: { attempts: 1, launcher: 'default', next: 'b' },
  });
});
