import { CompleteAsyncError, Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createWorkflows } from '#adapters/temporal/create-workflows.js';
import type { Workflows } from '#adapters/temporal/workflows.js';
import { createRemediations } from '#client/remediations.js';
import type { WarmPlan } from '#contract/actions/warm-remote-capacity/schema.js';
import type { ActionRequest, EndRequest, SlotQuestion, SpawnAnswer, SpawnRequest } from '#contract/activities.js';
import type { AgentKnown, AtWork, SpawnDetails } from '#contract/attempt.js';
import { slotsId } from '#contract/ids.js';
import { QUERIES, REMEDIATION_SIGNALS, SLOTS_SIGNALS, WORKFLOW_TYPES } from '#contract/names.js';
import type {
  AgentNews,
  Launch,
  RemediationInput,
  RemediationProgress,
  RemediationResult,
  StartedAgent,
} from '#contract/remediation.js';
import type { SlotBook, SlotsInput } from '#contract/slots.js';
import { wordsOfDoing } from '#contract/story-words.js';
import { aRemediation } from '../support/a-remediation.js';
import { type BareWorker, startBareWorker } from '../support/bare-worker.js';
import type { WrittenAction } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { failedResult } from '../support/failed-result.js';

// How a remediation runs agents, whatever starts them: the activities are the test's own and answer as launchers do.

const AGENT = { type: 'spawn_fallback_agent', id: 'agent', retry: { maxAttempts: 1 } } as const;
const TELL = { type: 'warm_remote_capacity', id: 'tell', retry: { maxAttempts: 1 } } as const;
const REMOTE: StartedAgent = { launcher: 'api', id: 'run-1', session: 's-1', outcome: 'running' };
const AT_WORK: AtWork = { state: 'asked', by: 'http', agent: REMOTE };

type Launcher = (request: SpawnRequest) => Promise<SpawnAnswer>;

let worker: BareWorker;
let workflows: Workflows;
let handle: WorkflowHandle;
let launchers: Record<string, Launcher>;
/** What was asked about slots. Those of a launcher are this remediation's own. */
let questions: SlotQuestion[];
/** How many there are. */
let limit: number;
/** What the launchers were asked, and the other actions that ran. */
let asked: SpawnRequest[];
let others: ActionRequest<WarmPlan>[];
/** Agents that were to be ended after an abort, and what became of them. */
let ended: EndRequest[];
let endsAs: AgentKnown;

beforeAll(async () => {
  worker = await startBareWorker({
    async askForSlot(question) {
      questions.push(question);
      const names = Object.keys(launchers);
      const launcher = question.launcher ?? names[0] ?? 'none';
      const next = names[names.indexOf(launcher) + 1];
      const { workflowId: holder = '', runId: run = '' } = Context.current().info.workflowExecution ?? {};
      const asking = { key: question.key, holder, run, max: limit };
      const slots = await workflows.askForSlot(ownName(launcher), asking);
      return { launcher, isFallback: launcher !== names[0], ...(next !== undefined && { next }), slots, max: limit };
    },
    async spawnFallbackAgent(request) {
      asked.push(request);
      const launcher = launchers[request.launcher];
      if (!launcher) throw new Error(`no launcher ${request.launcher}`);
      return launcher(request);
    },
    async endFallbackAgent(request) {
      ended.push(request);
      return endsAs;
    },
    async warmRemoteCapacity(request) {
      others.push(request);
      return { status: 'executed', attempts: 1 };
    },
  });
  workflows = createWorkflows(worker.client, worker.taskQueue);
});

beforeEach(() => {
  limit = 4;
});

afterAll(() => worker.stop());

const ownName = (launcher: string) => `${launcher} of ${handle.workflowId}`;
const slotsOf = (launcher: string) => worker.client.workflow.getHandle(slotsId(worker.taskQueue, ownName(launcher)));
const bookOf = (launcher: string) => slotsOf(launcher).query<SlotBook>(QUERIES.status);

/** Starts a remediation whose launchers answer so, by name and in this order. */
async function run(actions: WrittenAction[], answering: Record<string, Launcher>): Promise<void> {
  await start(aRemediation(actions), answering);
}

async function start(input: RemediationInput, answering: Record<string, Launcher>): Promise<void> {
  [launchers, questions, asked, others, ended] = [answering, [], [], [], []];
  // A launcher may tell of its agent before the answer to the start is here.
  handle = worker.client.workflow.getHandle(input.id);
  await worker.start(WORKFLOW_TYPES.remediate, input.id, input);
}

function fails(message: string, more: Partial<SpawnDetails> = {}, type = 'agent-failed'): Launcher {
  return async () => {
    const details: SpawnDetails = { attempts: Context.current().info.attempt, known: { state: 'unasked' }, ...more };
    throw ApplicationFailure.create({ message, type, details: [details] });
  };
}

const launched: Launcher = async () => ({ state: 'launched', agent: REMOTE, detail: 'taken', attempts: 1 });

const succeeds: Launcher = async () => ({
  state: 'finished',
  agent: { launcher: 'local', id: '42', outcome: 'success', outputTail: 'fixed' },
  detail: 'exit code 0',
  attempts: 1,
});

const runsUntilAborted: Launcher = async () => {
  const context = Context.current();
  const beat = setInterval(() => context.heartbeat(), 50);
  return context.cancelled.finally(() => clearInterval(beat));
};

const tell = (news: AgentNews) => handle.signal(REMEDIATION_SIGNALS.agent, news);
const result = () => handle.result() as Promise<RemediationResult>;
const progress = () => handle.query<RemediationProgress>(QUERIES.progress);

function shown<T>(what: string, find: (progress: RemediationProgress) => T | undefined): Promise<T> {
  return eventually(what, async () => find(await progress()));
}

const doingOfFirst = ({ actions: [agent] }: RemediationProgress) =>
  agent && 'doing' in agent ? agent.doing : undefined;

/** How long each was to run. */
async function timers(): Promise<number[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ timerStartedEventAttributes: started }) =>
    started ? [Number(started.startToFireTimeout?.seconds)] : [],
  );
}

const isBetweenAttempts = () =>
  eventually('the time between two attempts', async () => {
    const [activity] = (await handle.describe()).raw.pendingActivities ?? [];
    return activity?.attempt === 2 ? true : undefined;
  });

const waits = (count: number) =>
  eventually('the wait', async () => ((await timers()).length >= count ? true : undefined));

async function detailsShown(): Promise<string> {
  const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails ?? '';
}

test('when a launcher fails for good the next is tried, and the record shows each, in order', async () => {
  const retry = { maxAttempts: 2, initialIntervalMs: 10, maxIntervalMs: 10 };
  await run([{ ...AGENT, retry }], {
    claude: fails('exit code 7', { detail: 'output: no' }),
    codex: fails('not found'),
    local: succeeds,
  });

  const { outcome, actions } = await result();

  expect(outcome).toBe('executed');
  expect(actions).toEqual([
    {
      action: 'agent',
      type: 'spawn_fallback_agent',
      status: 'executed',
      detail: 'exit code 0',
      attempts: 5,
      agent: { launcher: 'local', id: '42', outcome: 'success', outputTail: 'fixed' },
      launches: [
        { launcher: 'claude', status: 'failed', reason: 'exit code 7', attempts: 2 },
        { launcher: 'codex', status: 'failed', reason: 'not found', attempts: 2 },
        { launcher: 'local', status: 'launched', attempts: 1, agent: { id: '42', outcome: 'success' } },
      ],
    },
  ]);
  expect(asked.map(({ launcher }) => launcher)).toEqual(['claude', 'claude', 'codex', 'codex', 'local']);
  expect(asked.map(({ isFallback }) => isFallback)).toEqual([false, false, true, true, true]);
});

test('when every launcher fails, the reason says why each did', async () => {
  const agent: StartedAgent = { launcher: 'b', id: '7', outcome: 'running', outputTail: 'oh' };
  await run([AGENT], {
    a: fails('exit code 7'),
    b: fails('ended after its time limit', { known: { state: 'ended', agent } }, 'timeout'),
  });

  const { actions } = await failedResult(handle.result());

  expect(actions).toMatchObject([
    {
      status: 'failed',
      reason: 'a: exit code 7; b: ended after its time limit',
      attempts: 2,
      agent: { launcher: 'b', id: '7', outcome: 'timeout', outputTail: 'oh' },
    },
  ]);
});

/** All slots of a launcher are taken, by others, before the remediation begins. */
async function startWhereTaken(actions: WrittenAction[], answering: Record<string, Launcher>): Promise<void> {
  const input = aRemediation(actions);
  handle = worker.client.workflow.getHandle(input.id);
  limit = 1;
  const launcher = Object.keys(answering)[0] ?? '';
  const held = [{ key: 'other', holder: 'another remediation', run: 'r', sinceAt: 0 }];
  const taken: SlotsInput = { launcher, max: 1, held, lookMs: 600_000 };
  await worker.start(WORKFLOW_TYPES.slots, slotsId(worker.taskQueue, ownName(launcher)), taken);
  onTestFinished(
    async () =>
      void (await slotsOf(launcher)
        .terminate()
        .catch(() => undefined)),
  );
  await start(input, answering);
  await eventually('its place in line', async () => ((await bookOf(launcher)).waiting.length === 1 ? true : undefined));
  await waits(2);
}

const otherEnds = () => slotsOf('claude').signal(SLOTS_SIGNALS.release, { key: 'other' });

test('while every slot is taken it waits to be told, holds no activity, and says so', async () => {
  await startWhereTaken([AGENT], { claude: succeeds });

  const doing = await shown('what it does', doingOfFirst);
  const { raw } = await handle.describe();
  const details = await detailsShown();
  expect(asked).toEqual([]);
  await otherEnds();
  const { actions } = await result();

  expect(doing).toEqual({ is: 'waiting-for-slot', launcher: 'claude', slots: 1 });
  expect(raw.pendingActivities ?? []).toEqual([]);
  expect(details).toContain(wordsOfDoing(doing));
  expect(actions).toMatchObject([{ status: 'executed', attempts: 1 }]);
  expect(questions).toMatchObject([{ key: asked[0]?.plan.effectKey, tried: [] }]);
  expect(asked).toHaveLength(1);
});

test('an abort while it waits for a slot finds nothing that was started, and it leaves the line', async () => {
  await startWhereTaken([AGENT], { claude: succeeds });

  await handle.cancel();

  expect(await result()).toMatchObject({
    outcome: 'aborted',
    actions: [{ status: 'aborted', reason: 'aborted before it started', attempts: 0 }],
  });
  expect(await bookOf('claude')).toMatchObject({ held: [{ key: 'other' }], waiting: [] });
});

test('attempts that failed before it was put off count', async () => {
  const retry = { maxAttempts: 2, initialIntervalMs: 10, maxIntervalMs: 10 };
  const fail = fails('exit code 7');
  await run([{ ...AGENT, retry }], {
    claude: async (request) =>
      asked.length === 2
        ? { state: 'delayed', reason: 'nobody answers', attempts: 1, known: { state: 'unasked' } }
        : fail(request),
  });

  const { actions } = await failedResult(handle.result());

  expect(asked).toHaveLength(3);
  expect(actions).toMatchObject([{ attempts: 2, launches: [{ attempts: 2 }] }]);
});

test('it has its slot over all its attempts, and the launcher after it one of its own', async () => {
  const retry = { maxAttempts: 2, initialIntervalMs: 10, maxIntervalMs: 10 };
  const books: SlotBook[][] = [];
  const fail: Launcher = async (request) => {
    const before = await Promise.all(
      Object.keys(launchers)
        .slice(0, asked.length > 2 ? 2 : 1)
        .map(bookOf),
    );
    books.push(before);
    return fails('exit code 7')(request);
  };
  await run([{ ...AGENT, retry }], { a: fail, b: fail });

  await failedResult(handle.result());

  const held = books.map((all) => all.map((book) => book.held.length));
  expect(held).toEqual([[1], [1], [0, 1], [0, 1]]);
  expect(await bookOf('b')).toMatchObject({ held: [], waiting: [] });
});

test('the next action starts as soon as the agent was started, long before it ends', async () => {
  let end: () => void = () => undefined;
  await run([AGENT, TELL], {
    api: async (request) => {
      await new Promise<void>((resolve) => (end = resolve));
      return succeeds(request);
    },
  });
  await eventually('launch', () => (asked.length > 0 ? true : undefined));
  const agent: StartedAgent = { launcher: 'local', session: 's-9', outcome: 'running' };
  expect((await progress()).actions[1]).toMatchObject({ action: 'tell', status: 'waiting' });

  await tell({ action: 'agent', state: 'launched', agent });
  const actions = await shown('end of the next action', (now) =>
    now.actions[1]?.status === 'executed' ? now.actions : undefined,
  );

  expect(actions).toMatchObject([{ action: 'agent', status: 'running', agent }, { action: 'tell' }]);
  expect(await detailsShown()).toContain('agent of `local`, session `s-9`: **running**');
  end();
  expect(await result()).toMatchObject({ outcome: 'executed' });
});

test('a remote agent that nobody awaits is done with when it was started', async () => {
  await run([AGENT], { api: launched });

  expect(await result()).toEqual({
    outcome: 'executed',
    actions: [
      {
        action: 'agent',
        type: 'spawn_fallback_agent',
        status: 'executed',
        detail: 'taken',
        attempts: 1,
        agent: REMOTE,
        launches: [
          {
            launcher: 'api',
            status: 'launched',
            attempts: 1,
            agent: { id: 'run-1', session: 's-1', outcome: 'running' },
          },
        ],
      },
    ],
  });
});

test('an awaited remote agent ends with the event that tells of its end, and what follows waits for that', async () => {
  await run([{ ...AGENT, await: 'finished' }, TELL], { api: launched });
  const doing = await shown('what it does', doingOfFirst);
  expect(doing).toMatchObject({ is: 'waiting-for-end', agent: 'agent run-1' });
  expect((await progress()).actions[1]).toMatchObject({ action: 'tell', status: 'waiting' });

  await tell({
    action: 'agent',
    state: 'finished',
    agentId: 's-1',
    ids: ['s-1'],
    outcome: 'success',
    outputTail: 'done',
  });

  expect(await result()).toMatchObject({
    outcome: 'executed',
    actions: [
      { status: 'executed', agent: { ...REMOTE, outcome: 'success', outputTail: 'done' } },
      { status: 'executed' },
    ],
  });
});

test('an agent may end before its launcher has said that it started', async () => {
  await run([{ ...AGENT, await: 'finished' }], {
    api: async (request) => {
      await tell({ action: 'agent', state: 'finished', agentId: 'run-1', ids: ['s-1', 'run-1'], outcome: 'success' });
      return launched(request);
    },
  });

  expect(await result()).toMatchObject({ actions: [{ status: 'executed', agent: { outcome: 'success' } }] });
});

test('the late end of an agent whose launch had failed is not that of the agent in its place', async () => {
  const second: StartedAgent = { launcher: 'other', id: 'run-2', session: 's-2', outcome: 'running' };
  await run([{ ...AGENT, await: 'finished' }], {
    api: fails('500', {}, 'launch-failed'),
    other: async () => ({ state: 'launched', agent: second, detail: 'taken', attempts: 1 }),
  });
  await shown('agent', ({ actions: [agent] }) => (agent && 'agent' in agent ? agent.agent : undefined));

  await tell({ action: 'agent', state: 'finished', agentId: 's-1', ids: ['s-1', 'run-1'], outcome: 'failed' });
  await tell({ action: 'agent', state: 'finished', agentId: 'run-2', ids: ['s-2', 'run-2'], outcome: 'success' });

  expect(await result()).toMatchObject({ actions: [{ status: 'executed', agent: { id: 'run-2' } }] });
});

test('the end of the fallback of an earlier run is not that of the first launcher, which is tried again', async () => {
  await run([{ ...AGENT, await: 'finished' }], { api: launched, local: succeeds });
  await shown('agent', ({ actions: [agent] }) => (agent && 'agent' in agent ? agent.agent : undefined));

  // It is another service, which happens to call its agents the same.
  const other = { agentId: 'run-1', ids: ['s-8', 'run-1'] };
  await tell({ action: 'agent', state: 'finished', ...other, outcome: 'failed' });
  await tell({ action: 'agent', state: 'finished', agentId: 's-9', ids: ['s-9'], outcome: 'failed' });
  // A query is answered once these are handled.
  expect(await progress()).toMatchObject({ outcome: 'running', actions: [{ status: 'running', agent: REMOTE }] });
  await tell({ action: 'agent', state: 'finished', agentId: 's-1', ids: ['s-1'], outcome: 'success' });

  expect(await result()).toMatchObject({ actions: [{ status: 'executed', agent: { id: 'run-1', session: 's-1' } }] });
  expect(asked).toHaveLength(1);
});

test('the end of an agent counts by a name that only an earlier attempt was told', async () => {
  const unnamed: StartedAgent = { launcher: 'other', session: 's-2', outcome: 'running' };
  await run([{ ...AGENT, await: 'finished' }], {
    api: fails('500', {}, 'launch-failed'),
    other: async () => ({ state: 'launched', agent: unnamed, detail: 'taken', attempts: 2 }),
  });
  await shown('agent', ({ actions: [agent] }) => (agent && 'agent' in agent ? agent.agent : undefined));

  await tell({ action: 'agent', state: 'finished', agentId: 'run-2', ids: ['s-2', 'run-2'], outcome: 'success' });

  expect(await result()).toMatchObject({ actions: [{ status: 'executed', agent: { session: 's-2' } }] });
});

test('an awaited remote agent that failed makes way for the next launcher', async () => {
  await run([{ ...AGENT, await: 'finished' }], { api: launched, local: succeeds });
  await shown('agent', ({ actions: [agent] }) => (agent && 'agent' in agent ? agent.agent : undefined));

  await tell({ action: 'agent', state: 'finished', agentId: 'run-1', ids: ['s-1', 'run-1'], outcome: 'failed' });

  expect(await result()).toMatchObject({
    actions: [
      {
        status: 'executed',
        agent: { launcher: 'local' },
        launches: [
          {
            launcher: 'api',
            status: 'failed',
            reason: 'agent run-1 ended with outcome failed',
            agent: { id: 'run-1', session: 's-1', outcome: 'failed' },
          },
          { launcher: 'local', status: 'launched' },
        ],
      },
    ],
  });
});

test('after the time limit of a remote agent no other is started: the first may still do its work', async () => {
  await run([{ ...AGENT, await: 'finished', timeoutMs: 300 }], { api: launched, local: succeeds });

  const { actions } = await failedResult(handle.result());

  expect(actions).toMatchObject([
    {
      status: 'failed',
      reason: 'no end of agent run-1 was reported within 300 ms; it may go on, since it runs elsewhere',
      agent: { ...REMOTE, outcome: 'timeout' },
      launches: [{ launcher: 'api', status: 'launched', agent: { outcome: 'timeout' } }],
    },
  ]);
  expect(asked).toHaveLength(1);
});

test('beside an agent that may still be at work no other is started', async () => {
  const agent: StartedAgent = { launcher: 'flow', id: 'w-1', session: 's-1', outcome: 'running' };
  await run([AGENT], {
    flow: fails('the worker that ran it was stopped', { known: { state: 'asked', by: 'temporal', agent } }),
    local: succeeds,
  });

  const { actions } = await failedResult(handle.result());

  expect(actions).toMatchObject([
    {
      status: 'failed',
      reason: 'the worker that ran it was stopped; agent w-1 may still be at work',
      agent,
      launches: [{ launcher: 'flow', status: 'launched', agent: { id: 'w-1', session: 's-1', outcome: 'running' } }],
    },
  ]);
  expect(asked).toHaveLength(1);
});

test('an agent that was declined is on record with its launcher, and is none that ran', async () => {
  await run([AGENT], {
    api: fails('no budget', { known: { state: 'declined', session: 's-7' } }, 'launch-failed'),
    local: fails('exit code 7'),
  });

  const { actions } = await failedResult(handle.result());

  expect(actions).toMatchObject([
    {
      status: 'failed',
      launches: [
        { launcher: 'api', status: 'failed', agent: { session: 's-7', outcome: 'failed' } },
        { launcher: 'local', status: 'failed' },
      ],
    },
  ]);
  expect(actions[0]).not.toHaveProperty('agent');
});

describe('the slot of a remote agent is given back', () => {
  const isHeld = async () => (await bookOf('api')).held.length === 1;
  const agentIsThere = () =>
    shown('agent', ({ actions: [agent] }) => (agent && 'agent' in agent ? agent.agent : undefined));

  test('when it has ended, not before', async () => {
    await run([{ ...AGENT, await: 'finished' }], { api: launched });
    await agentIsThere();
    expect(await isHeld()).toBe(true);

    await tell({ action: 'agent', state: 'finished', agentId: 's-1', ids: ['s-1'], outcome: 'success' });

    await result();
    expect(await isHeld()).toBe(false);
  });

  test('when nobody waits for its end any more', async () => {
    await run([{ ...AGENT, await: 'finished', timeoutMs: 300 }], { api: launched });

    await failedResult(handle.result());
    expect(await isHeld()).toBe(false);
  });

  test('when it was started, where nobody waits for its end', async () => {
    await run([AGENT], { api: launched });

    await result();
    expect(await isHeld()).toBe(false);
  });

  test('when the remediation is aborted', async () => {
    await run([{ ...AGENT, await: 'finished' }], { api: launched });
    await agentIsThere();

    await handle.cancel();

    expect(await result()).toMatchObject({ outcome: 'aborted' });
    expect(await isHeld()).toBe(false);
  });

  test('when the remediation is aborted between two attempts, once its agent has been ended', async () => {
    endsAs = { state: 'ended', agent: { ...REMOTE, outcome: 'failed' } };
    const retry = { maxAttempts: 2, initialIntervalMs: 60_000, maxIntervalMs: 60_000 };
    await run([{ ...AGENT, retry }], {
      api: async (request) => {
        await tell({ action: 'agent', state: 'asked', agent: REMOTE, attempt: '1' });
        return fails('504', { known: AT_WORK })(request);
      },
    });
    await isBetweenAttempts();
    expect(await isHeld()).toBe(true);

    await handle.cancel();

    expect(await result()).toMatchObject({ outcome: 'aborted' });
    expect(await isHeld()).toBe(false);
    const events = (await handle.fetchHistory()).events ?? [];
    const endedAt = events.findLastIndex((event) => event.activityTaskCompletedEventAttributes);
    const releasedAt = events.findIndex((event) => event.signalExternalWorkflowExecutionInitiatedEventAttributes);
    expect(ended).toHaveLength(1);
    expect(releasedAt).toBeGreaterThan(endedAt);
  });

  test('when its last attempt has failed', async () => {
    await run([AGENT], { api: fails('the worker is gone') });

    await failedResult(handle.result());
    expect(await isHeld()).toBe(false);
  });

  test('and one that was given back before is no error', async () => {
    await run([{ ...AGENT, await: 'finished', timeoutMs: 300 }], { api: launched });
    await agentIsThere();
    await slotsOf('api').terminate();

    expect((await failedResult(handle.result())).actions).toMatchObject([{ status: 'failed' }]);
  });
});

test('an abort says of a remote agent that it goes on', async () => {
  await run([{ ...AGENT, await: 'finished' }, TELL], { api: launched, local: succeeds });
  await shown('agent', ({ actions: [agent] }) => (agent && 'agent' in agent ? agent.agent : undefined));

  await handle.cancel();

  expect(await result()).toMatchObject({
    outcome: 'aborted',
    actions: [
      { status: 'aborted', reason: 'aborted while it ran; agent run-1 goes on: it runs elsewhere', agent: REMOTE },
      { status: 'aborted', reason: 'aborted before it started' },
    ],
  });
  expect(asked).toHaveLength(1);
});

test('an agent whose end is told together with an abort has ended', async () => {
  const taskQueue = `${worker.taskQueue}-late`;
  const input = aRemediation([{ ...AGENT, await: 'finished' }, TELL]);
  let activityId: string | undefined;
  const first = await startBareWorker(
    {
      // Its answer comes while no worker runs.
      askForSlot: async ({ key }) => {
        const slots = 'slots of nobody';
        await handle.signal(REMEDIATION_SIGNALS.slot, { slots, key });
        return { launcher: 'api', isFallback: false, slots, max: 1 };
      },
      async spawnFallbackAgent() {
        ({ activityId } = Context.current().info);
        throw new CompleteAsyncError();
      },
    },
    taskQueue,
  );
  const args = [input];
  handle = worker.client.workflow.getHandle(input.id);
  await worker.client.workflow.start(WORKFLOW_TYPES.remediate, { workflowId: input.id, taskQueue, args });
  const activity = { workflowId: input.id, activityId: await eventually('the launch', () => activityId) };
  await first.stop();
  await worker.client.activity.complete(activity, await launched({} as SpawnRequest));
  await tell({ action: 'agent', state: 'finished', agentId: 's-1', ids: ['s-1'], outcome: 'success' });
  await handle.cancel();

  const second = await startBareWorker({}, taskQueue);
  onTestFinished(() => second.stop());

  expect(await result()).toMatchObject({
    actions: [
      { status: 'executed', agent: { ...REMOTE, outcome: 'success' } },
      { status: 'aborted', reason: 'aborted before it started' },
    ],
  });
});

test('an abort before any worker has taken it up keeps everything from starting', async () => {
  const taskQueue = `${worker.taskQueue}-late`;
  const input = aRemediation([AGENT, { ...TELL, onlyIf: 'failed' }]);
  const args = [input];
  handle = await worker.client.workflow.start(WORKFLOW_TYPES.remediate, { workflowId: input.id, taskQueue, args });
  await createRemediations(worker.client).abort(input.id);

  const late = await startBareWorker({}, taskQueue);
  onTestFinished(() => late.stop());

  const never = { status: 'aborted', reason: 'aborted before it started', attempts: 0 };
  expect(await result()).toMatchObject({ outcome: 'aborted', actions: [never, never] });
});

test('an abort ends what the activity runs, and starts no other launcher', async () => {
  await run([AGENT, { ...TELL, onlyIf: 'failed' }], { api: runsUntilAborted });
  await eventually('launch', () => (asked.length > 0 ? true : undefined));

  await handle.cancel();

  expect(await result()).toMatchObject({
    outcome: 'aborted',
    actions: [
      { status: 'aborted', reason: 'aborted while it ran' },
      { status: 'aborted', reason: 'aborted before it started' },
    ],
  });
});

test('an agent that fails in the moment of an abort has its reason on record, and no other launcher is tried', async () => {
  let goOn: () => void = () => undefined;
  const isAborted = new Promise<void>((resolve) => (goOn = resolve));
  await run([AGENT], {
    async api(request) {
      await isAborted;
      return fails('exit code 7')(request);
    },
    local: succeeds,
  });
  await eventually('the attempt', () => asked[0]);

  await handle.cancel();
  await eventually('the abort', async () => {
    const [activity] = (await handle.describe()).raw.pendingActivities ?? [];
    // As the server counts: 3 is that the cancellation was asked for.
    return Number(activity?.state) === 3 || undefined;
  });
  goOn();

  const reason = 'aborted while it was tried; the last attempt failed: exit code 7';
  expect(await result()).toMatchObject({
    outcome: 'aborted',
    actions: [{ status: 'aborted', reason, launches: [{ launcher: 'api', status: 'failed', reason }] }],
  });
  expect(asked).toHaveLength(1);
});

/** What a launcher knows of its agent when it is told of the abort. */
function tellsWhenAborted(known: AgentKnown): Launcher {
  return async (request) => {
    try {
      return await runsUntilAborted(request);
    } catch (error) {
      throw new CancelledFailure('aborted', [{ attempts: 1, known } satisfies SpawnDetails], error as Error);
    }
  };
}

test.each<[string, Extract<AgentKnown, { agent: StartedAgent }>, string, Partial<Launch>]>([
  [
    'may have been launched',
    AT_WORK,
    'aborted while it ran; agent run-1 may still be at work',
    { status: 'launched', agent: { id: 'run-1', session: 's-1', outcome: 'running' } },
  ],
  [
    'has ended with it',
    { state: 'ended', agent: { ...REMOTE, outcome: 'failed' } },
    'aborted while it ran',
    { status: 'failed', agent: { id: 'run-1', session: 's-1', outcome: 'failed' } },
  ],
])('the record of an abort says that the agent %s', async (_what, known, reason, launch) => {
  await run([AGENT], { api: tellsWhenAborted(known) });
  await eventually('launch', () => (asked.length > 0 ? true : undefined));

  await handle.cancel();

  expect(await result()).toMatchObject({
    actions: [{ status: 'aborted', reason, agent: known.agent, launches: [launch] }],
  });
});

describe('an abort that meets no attempt', () => {
  const BETWEEN = 'aborted between two attempts, or before the first';
  const retry = { maxAttempts: 3, initialIntervalMs: 60_000, maxIntervalMs: 60_000 };

  /** It was asked for, and the attempt has failed. */
  const asks: Launcher = async (request) => {
    await tell({ action: 'agent', state: 'asked', agent: REMOTE, attempt: '1' });
    return fails('504', { known: AT_WORK })(request);
  };

  test('ends the agent that the last attempt has left at work', async () => {
    endsAs = { state: 'ended', agent: { ...REMOTE, outcome: 'failed' } };
    await run([{ ...AGENT, retry }], { api: asks });
    await isBetweenAttempts();

    await handle.cancel();

    expect(await result()).toMatchObject({
      outcome: 'aborted',
      actions: [
        {
          status: 'aborted',
          reason: BETWEEN,
          attempts: 0,
          agent: { ...REMOTE, outcome: 'failed' },
          launches: [{ launcher: 'api', status: 'failed', agent: { id: 'run-1', outcome: 'failed' } }],
        },
      ],
    });
    expect(ended).toMatchObject([{ plan: { name: 'agent' }, agent: REMOTE }]);
  });

  test('says so where it cannot be ended', async () => {
    endsAs = { state: 'left', agent: REMOTE };
    await run([{ ...AGENT, retry }], { api: asks });
    await isBetweenAttempts();

    await handle.cancel();

    expect(await result()).toMatchObject({
      actions: [
        {
          status: 'aborted',
          reason: `${BETWEEN}; agent run-1 may still be at work`,
          agent: REMOTE,
          launches: [{ launcher: 'api', status: 'launched' }],
        },
      ],
    });
  });

  test('is over at once where nobody was asked', async () => {
    await run([{ ...AGENT, retry }], { api: fails('no program') });
    await isBetweenAttempts();

    await handle.cancel();

    expect(await result()).toMatchObject({ actions: [{ status: 'aborted', reason: BETWEEN, attempts: 0 }] });
    expect(ended).toEqual([]);
  });

  test('is over at once where the attempt that asked has surely started none', async () => {
    await run([{ ...AGENT, retry }], {
      api: async (request) => {
        await tell({ action: 'agent', state: 'asked', agent: REMOTE, attempt: '1' });
        await tell({ action: 'agent', state: 'not-started', attempt: '1' });
        return fails('503')(request);
      },
    });
    await isBetweenAttempts();

    await handle.cancel();

    const [action] = (await result()).actions;
    expect(action).toMatchObject({ status: 'aborted', reason: BETWEEN });
    expect(action).not.toHaveProperty('agent');
    expect(ended).toEqual([]);
  });

  test.each([
    ['before', ['1', '2']],
    ['after', ['2', '1']],
  ])('is not over where another attempt has asked, which was told %s', async (_what, attempts) => {
    endsAs = { state: 'left', agent: REMOTE };
    await run([{ ...AGENT, retry }], {
      api: async (request) => {
        for (const attempt of attempts) await tell({ action: 'agent', state: 'asked', agent: REMOTE, attempt });
        await tell({ action: 'agent', state: 'not-started', attempt: '2' });
        return fails('503')(request);
      },
    });
    await isBetweenAttempts();

    await handle.cancel();

    expect(await result()).toMatchObject({ actions: [{ status: 'aborted', agent: REMOTE }] });
    expect(ended).toMatchObject([{ agent: REMOTE }]);
  });

  test('leaves alone what a launcher before this one had asked for', async () => {
    await run([{ ...AGENT, retry: { ...retry, maxAttempts: 2 } }], {
      api: async (request) => {
        await tell({ action: 'agent', state: 'asked', agent: REMOTE, attempt: '1' });
        throw ApplicationFailure.nonRetryable(
          'declined',
          'launch-failed',
          { attempts: 1, known: { state: 'unasked' } } satisfies SpawnDetails,
          request,
        );
      },
      b: fails('exit code 1'),
    });
    await eventually('the second', () => (asked.length === 2 ? true : undefined));
    await isBetweenAttempts();

    await handle.cancel();

    expect(await result()).toMatchObject({ outcome: 'aborted' });
    expect(ended).toEqual([]);
  });

  test('ends one whose launch was put off, and who waits for another try', async () => {
    endsAs = { state: 'ended', agent: { ...REMOTE, outcome: 'success' } };
    await run([AGENT], { api: async () => ({ state: 'delayed', reason: 'stopped', attempts: 0, known: AT_WORK }) });
    // Not any wait: on a busy machine the one for its slot takes a moment too.
    await shown('that it waits', (now) => (doingOfFirst(now)?.is === 'waiting-to-retry' ? true : undefined));

    await handle.cancel();

    expect(await result()).toMatchObject({ actions: [{ status: 'aborted', agent: { outcome: 'success' } }] });
    expect(ended).toMatchObject([{ agent: REMOTE }]);
  });

  test('ends one whose worker has died', { timeout: 60_000 }, async () => {
    endsAs = { state: 'ended', agent: { ...REMOTE, outcome: 'failed' } };
    let end: () => void = () => undefined;
    onTestFinished(() => end());
    await run([AGENT], {
      api: async (request) => {
        Context.current().heartbeat({ attempts: 1, known: AT_WORK } satisfies SpawnDetails);
        // Like a worker that is no more, it says nothing from now on, and hears nothing.
        await new Promise<void>((resolve) => (end = resolve));
        return succeeds(request);
      },
    });
    await eventually('the heartbeat', async () => {
      const [activity] = (await handle.describe()).raw.pendingActivities ?? [];
      return activity?.heartbeatDetails ? true : undefined;
    });

    await handle.cancel();

    expect(await result()).toMatchObject({ actions: [{ status: 'aborted', agent: { outcome: 'failed' } }] });
    expect(ended).toMatchObject([{ agent: REMOTE }]);
  });
});

test('what was put off is asked again in the same slot, with what is known, and no attempt is used up', async () => {
  await run([AGENT], {
    claude: async (request) =>
      asked.length === 1
        ? { state: 'delayed', reason: 'nobody answers', attempts: 0, known: AT_WORK }
        : succeeds(request),
  });
  const doing = await shown('what it does', doingOfFirst);

  const { actions } = await result();

  expect(doing).toEqual({ is: 'waiting-to-retry', reason: 'nobody answers' });
  expect(asked.map((request) => request.earlier)).toEqual([undefined, AT_WORK]);
  expect(new Set(asked.map(({ startedAt }) => startedAt)).size).toBe(1);
  expect(questions).toHaveLength(1);
  expect(actions).toMatchObject([{ status: 'executed', attempts: 1 }]);
});

test('who finds the next launcher is told which ones were tried', async () => {
  await run([AGENT], {
    a: fails('exit code 7'),
    b: fails('exit code 7'),
    local: succeeds,
  });

  await result();

  expect(questions.map(({ tried }) => tried)).toEqual([[], ['a'], ['a', 'b']]);
});

const WAKE = { ...TELL, onlyIf: 'failed' } as const;
const PRAISE = { ...TELL, onlyIf: 'success' } as const;

test.each([
  ['failed', WAKE, fails('exit code 7'), ['failed', 'executed'], undefined],
  ['well', WAKE, succeeds, ['executed', 'skipped'], 'runs only if agent fails, and agent was executed'],
  ['well, for success', PRAISE, succeeds, ['executed', 'executed'], undefined],
  [
    'failed, for success',
    PRAISE,
    fails('exit code 7'),
    ['failed', 'skipped'],
    'runs only if agent succeeds, and agent failed',
  ],
])('try an agent; only if that fails, wake someone: it ended %s', async (_name, second, launcher, statuses, reason) => {
  await run([AGENT, second], { api: launcher });

  const { actions } = await result().catch(() => failedResult(handle.result()));

  expect(actions.map(({ status }) => status)).toEqual(statuses);
  expect(actions[1]?.reason).toBe(reason);
  expect(others).toHaveLength(statuses[1] === 'executed' ? 1 : 0);
});

test.each([
  ['failed', fails('exit code 7'), ['failed', 'skipped', 'skipped', 'executed']],
  ['well', succeeds, ['executed', 'skipped', 'executed', 'skipped']],
])(
  'a second agent that a limit has refused matters only if it is needed: the first ended %s',
  async (_name, launcher, statuses) => {
    const again = { ...AGENT, id: 'again', onlyIf: 'failed' } as const;
    const input = aRemediation([AGENT, again, { ...PRAISE, id: 'praise' }, { ...WAKE, id: 'wake' }]);
    const actions = input.actions.map((plan) => (plan.name === 'again' ? { ...plan, refused: 'too many' } : plan));
    await start({ ...input, actions }, { api: launcher });

    const ended = await result().catch(() => failedResult(handle.result()));

    expect(ended.actions.map(({ status }) => status)).toEqual(statuses);
    expect(ended.actions[1]).toMatchObject({ reason: 'too many', attempts: 0 });
    expect(asked).toHaveLength(1);
  },
);

test('of many agents in a row that a limit has refused, each is looked at once', async () => {
  const again = Array.from(
    { length: 18 },
    (_, index) => ({ ...AGENT, id: `again-${index}`, onlyIf: 'failed' }) as const,
  );
  const input = aRemediation([AGENT, ...again, WAKE]);
  const refuse = (plan: RemediationInput['actions'][number]) =>
    plan.name.startsWith('again') ? { ...plan, refused: 'too many' } : plan;
  await start({ ...input, actions: input.actions.map(refuse) }, { api: fails('exit code 7') });

  const { actions } = await failedResult(handle.result());

  expect(actions.at(-1)).toMatchObject({ status: 'executed' });
});

test('an action with onlyIf waits for the end of the one before, and says so', async () => {
  let end: () => void = () => undefined;
  await run([AGENT, WAKE, { ...PRAISE, id: 'praise' }], {
    api: async (request) => {
      await new Promise<void>((resolve) => (end = resolve));
      return succeeds(request);
    },
  });
  await eventually('launch', () => (asked.length > 0 ? true : undefined));
  await tell({ action: 'agent', state: 'launched', agent: REMOTE });

  await shown('the agent', ({ actions: [agent] }) => agent?.agent);

  expect(others).toEqual([]);
  expect(await detailsShown()).toContain('**`tell`** (warm_remote_capacity): waiting; runs only if `agent` fails');
  expect(await detailsShown()).toContain('waiting; runs only if `agent` or `tell` succeeds');
  end();
  expect(await result()).toMatchObject({
    actions: [{ status: 'executed' }, { status: 'skipped' }, { status: 'executed' }],
  });
});

test.each([
  ['failed', fails('exit code 7'), ['failed', 'skipped', 'executed'], 'agent failed'],
  ['well', succeeds, ['executed', 'executed', 'skipped'], 'praise was executed'],
])('an answer to either end of an agent: it ended %s', async (_name, launcher, statuses, because) => {
  await run([AGENT, { ...PRAISE, id: 'praise' }, { ...WAKE, id: 'last' }], { api: launcher });

  const { actions } = await result().catch(() => failedResult(handle.result()));

  expect(actions.map(({ status }) => status)).toEqual(statuses);
  expect(actions.find(({ status }) => status === 'skipped')?.reason).toContain(because);
});

test('neither runs after an action that was skipped, or that did not fire', async () => {
  const { actions, ...input } = aRemediation([AGENT, WAKE, { ...PRAISE, id: 'praise' }, { ...WAKE, id: 'lost' }]);
  await start({ ...input, actions: actions.filter(({ name }) => name !== 'praise') }, { api: succeeds });

  expect((await result()).actions).toMatchObject([
    { action: 'agent', status: 'executed' },
    { action: 'tell', status: 'skipped' },
    { action: 'lost', status: 'skipped', reason: 'runs only if praise fails, and praise did not fire' },
  ]);
});

test('each action is told what became of those before it', async () => {
  await run([{ ...TELL, id: 'warm' }, AGENT, { ...TELL, id: 'last' }], { api: runsUntilAborted });
  await shown('agent', ({ actions: [, agent] }) => (agent?.status === 'running' ? true : undefined));
  await tell({ action: 'agent', state: 'launched', agent: REMOTE });

  const last = await eventually('last action', () => others.find(({ plan }) => plan.name === 'last'));
  await handle.cancel();

  expect(last).toMatchObject({
    soFar: [{ action: 'warm', type: 'warm_remote_capacity', status: 'executed', attempts: 1 }],
    pending: [{ action: 'agent', type: 'spawn_fallback_agent', status: 'running', agent: REMOTE }],
  });
  await result();
});

test('what is signalled by hand and is no news changes nothing', async () => {
  await run([{ ...AGENT, await: 'finished' }], { api: launched });
  const launchedAs = (agent: object) => ({ action: 'agent', state: 'launched', agent: { ...REMOTE, ...agent } });
  const ends = { action: 'agent', state: 'finished', agentId: 'run-1', ids: ['s-1', 'run-1'], outcome: 'success' };
  for (const news of [
    null,
    'x',
    {},
    { action: 'agent' },
    { action: 'agent', state: 'finished', outcome: 'success' },
    ...[{ launcher: 5 }, { id: {} }, { session: 7 }, { outputTail: 1 }, { outcome: 'lost' }].map(launchedAs),
    ...[{ outputTail: {} }, { outcome: 'lost' }, { ids: [1] }].map((wrong) => ({ ...ends, ...wrong })),
  ]) {
    await handle.signal(REMEDIATION_SIGNALS.agent, news);
  }
  await tell({ action: 'other', state: 'finished', agentId: 'run-1', ids: ['s-1', 'run-1'], outcome: 'failed' });
  await tell({ action: 'agent', state: 'finished', agentId: 'run-1', ids: ['s-1', 'run-1'], outcome: 'success' });

  expect(await result()).toMatchObject({ outcome: 'executed' });
});
