import { Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WarmPlan } from '../../contract/actions/warm-remote-capacity/schema.js';
import type { ActionRequest, AttemptDetails, SpawnAnswer, SpawnRequest } from '../../contract/activities.js';
import { QUERIES, REMEDIATION_SIGNALS, WORKFLOW_TYPES } from '../../contract/names.js';
import type {
  AgentNews,
  RemediationInput,
  RemediationProgress,
  RemediationResult,
  StartedAgent,
} from '../../contract/remediation.js';
import { aRemediation } from '../support/a-remediation.js';
import { type BareWorker, startBareWorker } from '../support/bare-worker.js';
import type { WrittenAction } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { failedResult } from '../support/failed-result.js';

// How a remediation runs agents, whatever starts them: the activities are the test's own and answer as launchers do.

const AGENT = { type: 'spawn_fallback_agent', id: 'agent', retry: { maxAttempts: 1 } } as const;
const TELL = { type: 'warm_remote_capacity', id: 'tell', retry: { maxAttempts: 1 } } as const;
const REMOTE: StartedAgent = { launcher: 'api', id: 'run-1', session: 's-1', outcome: 'running' };

type Launcher = (request: SpawnRequest) => Promise<SpawnAnswer>;

let worker: BareWorker;
let handle: WorkflowHandle;
let launchers: Record<string, Launcher>;
/** What the launchers were asked, and the other actions that ran. */
let asked: SpawnRequest[];
let others: ActionRequest<WarmPlan>[];

beforeAll(async () => {
  worker = await startBareWorker({
    async spawnFallbackAgent(request) {
      asked.push(request);
      const launcher = launchers[request.launcher ?? 'first'];
      if (!launcher) throw new Error(`no launcher ${request.launcher}`);
      return launcher(request);
    },
    async warmRemoteCapacity(request) {
      others.push(request);
      return { status: 'executed', attempts: 1 };
    },
  });
});

afterAll(() => worker.stop());

/** Starts a remediation whose launchers answer so, by name: `first` is the one that the workflow does not name. */
async function run(actions: WrittenAction[], answering: Record<string, Launcher>): Promise<void> {
  await start(aRemediation(actions), answering);
}

async function start(input: RemediationInput, answering: Record<string, Launcher>): Promise<void> {
  [launchers, asked, others] = [answering, [], []];
  handle = await worker.start(WORKFLOW_TYPES.remediate, input.id, input);
}

function fails(message: string, details: Partial<AttemptDetails>, type = 'agent-failed'): Launcher {
  return async () => {
    const { attempt } = Context.current().info;
    throw ApplicationFailure.create({ message, type, details: [{ attempts: attempt, ...details }] });
  };
}

function launched(next?: string): Launcher {
  return async () => ({ state: 'launched', agent: REMOTE, detail: 'taken', attempts: 1, ...(next && { next }) });
}

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

async function timers(): Promise<number> {
  const { events = [] } = await handle.fetchHistory();
  return (events ?? []).filter((event) => event.timerStartedEventAttributes).length;
}

async function detailsShown(): Promise<string> {
  const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails ?? '';
}

test('when a launcher fails for good the next is tried, and the record shows each, in order', async () => {
  const retry = { maxAttempts: 2, initialIntervalMs: 10, maxIntervalMs: 10 };
  await run([{ ...AGENT, retry }], {
    first: fails('exit code 7', { launcher: 'claude', next: 'codex', detail: 'output: no' }),
    codex: fails('not found', { launcher: 'codex', next: 'local' }),
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
        { launcher: 'local', status: 'launched', attempts: 1 },
      ],
    },
  ]);
  expect(asked.map(({ launcher }) => launcher)).toEqual([undefined, undefined, 'codex', 'codex', 'local']);
});

test('when every launcher fails, the reason says why each did', async () => {
  const agent: StartedAgent = { launcher: 'b', id: '7', outcome: 'running', outputTail: 'oh' };
  await run([AGENT], {
    first: fails('exit code 7', { launcher: 'a', next: 'b' }),
    b: fails('ended after its time limit', { launcher: 'b', next: 'a', agent }, 'timeout'),
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

test('while every slot is taken it waits on timers, holds no activity, and says so', async () => {
  let slots = 0;
  await run([AGENT], {
    first: async (request) => (slots > 0 ? succeeds(request) : { state: 'busy', launcher: 'claude', slots: 4 }),
  });

  const note = await shown('note', ({ actions: [agent] }) => (agent && 'note' in agent ? agent.note : undefined));
  const { raw } = await handle.describe();
  const details = await detailsShown();
  slots = 1;
  const { actions } = await result();

  expect(note).toBe('waits for a free slot of claude, which runs 4 agents at a time');
  expect(raw.pendingActivities ?? []).toEqual([]);
  expect(details).toContain(note);
  expect(actions).toMatchObject([{ status: 'executed', attempts: 1 }]);
  expect(await timers()).toBe(asked.length - 1);
});

test('attempts that failed before every slot was taken count', async () => {
  const retry = { maxAttempts: 2, initialIntervalMs: 10, maxIntervalMs: 10 };
  const fail = fails('exit code 7', { launcher: 'claude' });
  await run([{ ...AGENT, retry }], {
    first: async (request) =>
      asked.length === 2 ? { state: 'busy', launcher: 'claude', slots: 4, attempts: 1 } : fail(request),
  });

  const { actions } = await failedResult(handle.result());

  expect(asked).toHaveLength(3);
  expect(actions).toMatchObject([{ attempts: 2, launches: [{ attempts: 2 }] }]);
});

test('the next action starts as soon as the agent was started, long before it ends', async () => {
  let end: () => void = () => undefined;
  await run([AGENT, TELL], {
    first: async (request) => {
      await new Promise<void>((resolve) => (end = resolve));
      return succeeds(request);
    },
  });
  await eventually('launch', () => (asked.length > 0 ? true : undefined));
  const agent: StartedAgent = { launcher: 'local', session: 's-9', outcome: 'running' };
  expect((await progress()).actions[1]).toMatchObject({ action: 'tell', status: 'waiting' });

  await tell({ action: 'agent', state: 'launched', agent });
  await eventually('next action', () => (others.length > 0 ? true : undefined));

  expect((await progress()).actions).toMatchObject([
    { action: 'agent', status: 'running', agent },
    { action: 'tell', status: 'executed' },
  ]);
  expect(await detailsShown()).toContain('agent of `local`, session `s-9`: **running**');
  end();
  expect(await result()).toMatchObject({ outcome: 'executed' });
});

test('a remote agent that nobody awaits is done with when it was started', async () => {
  await run([AGENT], { first: launched() });

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
        launches: [{ launcher: 'api', status: 'launched', attempts: 1 }],
      },
    ],
  });
});

test('an awaited remote agent ends with the event that tells of its end, and what follows waits for that', async () => {
  await run([{ ...AGENT, await: 'finished' }, TELL], { first: launched() });
  const note = await shown('agent', ({ actions: [agent] }) => (agent && 'note' in agent ? agent.note : undefined));
  expect(note).toMatch(/^agent run-1 has until .* UTC to end$/);
  expect((await progress()).actions[1]).toMatchObject({ action: 'tell', status: 'waiting' });

  await tell({ action: 'agent', state: 'finished', agentId: 's-1', outcome: 'success', outputTail: 'done' });

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
    first: async (request) => {
      await tell({ action: 'agent', state: 'finished', agentId: 'run-1', outcome: 'success' });
      return launched()(request);
    },
  });

  expect(await result()).toMatchObject({ actions: [{ status: 'executed', agent: { outcome: 'success' } }] });
});

test('the late end of an agent whose launch had failed is not that of the agent in its place', async () => {
  const second: StartedAgent = { launcher: 'other', id: 'run-2', session: 's-2', outcome: 'running' };
  await run([{ ...AGENT, await: 'finished' }], {
    first: fails('500', { launcher: 'api', next: 'other' }, 'launch-failed'),
    other: async () => ({ state: 'launched', agent: second, detail: 'taken', attempts: 1 }),
  });
  await shown('agent', ({ actions: [agent] }) => (agent && 'agent' in agent ? agent.agent : undefined));

  await tell({ action: 'agent', state: 'finished', agentId: 'run-2', outcome: 'success' });
  await tell({ action: 'agent', state: 'finished', agentId: 's-1', outcome: 'failed' });

  expect(await result()).toMatchObject({ actions: [{ status: 'executed', agent: { id: 'run-2' } }] });
});

test('an awaited remote agent that failed makes way for the next launcher', async () => {
  await run([{ ...AGENT, await: 'finished' }], { first: launched('local'), local: succeeds });
  await shown('agent', ({ actions: [agent] }) => (agent && 'agent' in agent ? agent.agent : undefined));

  await tell({ action: 'agent', state: 'finished', agentId: 'run-1', outcome: 'failed' });

  expect(await result()).toMatchObject({
    actions: [
      {
        status: 'executed',
        agent: { launcher: 'local' },
        launches: [
          { launcher: 'api', status: 'failed', reason: 'agent run-1 ended with outcome failed' },
          { launcher: 'local', status: 'launched' },
        ],
      },
    ],
  });
});

test('after the time limit of a remote agent no other is started: the first may still do its work', async () => {
  await run([{ ...AGENT, await: 'finished', timeoutMs: 300 }], { first: launched('local'), local: succeeds });

  const { actions } = await failedResult(handle.result());

  expect(actions).toMatchObject([
    {
      status: 'failed',
      reason: 'no end of agent run-1 was reported within 300 ms; it may go on, since it runs elsewhere',
      agent: { ...REMOTE, outcome: 'timeout' },
      launches: [{ launcher: 'api', status: 'launched' }],
    },
  ]);
  expect(asked).toHaveLength(1);
});

test('an abort says of a remote agent that it goes on', async () => {
  await run([{ ...AGENT, await: 'finished' }, TELL], { first: launched('local'), local: succeeds });
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

test('an abort ends what the activity runs, and starts no other launcher', async () => {
  await run([AGENT, { ...TELL, onlyIf: 'failed' }], { first: runsUntilAborted });
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

test('an abort ends the wait for a slot', async () => {
  await run([AGENT], { first: async () => ({ state: 'busy', launcher: 'claude', slots: 4 }) });
  await shown('note', ({ actions: [agent] }) => (agent && 'note' in agent ? agent.note : undefined));

  await handle.cancel();

  expect(await result()).toMatchObject({ outcome: 'aborted', actions: [{ status: 'aborted' }] });
});

const WAKE = { ...TELL, onlyIf: 'failed' } as const;
const PRAISE = { ...TELL, onlyIf: 'success' } as const;

test.each([
  ['failed', WAKE, fails('exit code 7', { launcher: 'a' }), ['failed', 'executed'], undefined],
  ['well', WAKE, succeeds, ['executed', 'skipped'], 'runs only if agent fails, and agent was executed'],
  ['well, for success', PRAISE, succeeds, ['executed', 'executed'], undefined],
  [
    'failed, for success',
    PRAISE,
    fails('exit code 7', { launcher: 'a' }),
    ['failed', 'skipped'],
    'runs only if agent succeeds, and agent failed',
  ],
])('try an agent; only if that fails, wake someone: it ended %s', async (_name, second, launcher, statuses, reason) => {
  await run([AGENT, second], { first: launcher });

  const { actions } = await result().catch(() => failedResult(handle.result()));

  expect(actions.map(({ status }) => status)).toEqual(statuses);
  expect(actions[1]?.reason).toBe(reason);
  expect(others).toHaveLength(statuses[1] === 'executed' ? 1 : 0);
});

test('an action with onlyIf waits for the end of the one before, and says so', async () => {
  let end: () => void = () => undefined;
  await run([AGENT, WAKE], {
    first: async (request) => {
      await new Promise<void>((resolve) => (end = resolve));
      return succeeds(request);
    },
  });
  await eventually('launch', () => (asked.length > 0 ? true : undefined));
  await tell({ action: 'agent', state: 'launched', agent: REMOTE });

  const note = await shown('note', ({ actions: [, tell] }) => (tell && 'note' in tell ? tell.note : undefined));

  expect(note).toBe('runs only if agent fails');
  expect(others).toEqual([]);
  expect(await detailsShown()).toContain(
    '**`tell`** (warm_remote_capacity): waiting for the end of `agent`; runs only if that fails',
  );
  end();
  expect(await result()).toMatchObject({ actions: [{ status: 'executed' }, { status: 'skipped' }] });
});

test('neither runs after an action that was skipped, or that did not fire', async () => {
  const { actions, ...input } = aRemediation([AGENT, WAKE, { ...PRAISE, id: 'praise' }, { ...WAKE, id: 'lost' }]);
  await start({ ...input, actions: actions.filter(({ name }) => name !== 'praise') }, { first: succeeds });

  expect((await result()).actions).toMatchObject([
    { action: 'agent', status: 'executed' },
    { action: 'tell', status: 'skipped' },
    { action: 'lost', status: 'skipped', reason: 'runs only if praise fails, and praise did not fire' },
  ]);
});

test('each action is told what became of those before it', async () => {
  await run([{ ...TELL, id: 'warm' }, AGENT, { ...TELL, id: 'last' }], { first: runsUntilAborted });
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
  await run([{ ...AGENT, await: 'finished' }], { first: launched() });
  for (const news of [null, 'x', {}, { action: 'agent' }, { action: 'agent', state: 'finished', outcome: 'success' }]) {
    await handle.signal(REMEDIATION_SIGNALS.agent, news);
  }
  await tell({ action: 'other', state: 'finished', agentId: 'run-1', outcome: 'failed' });
  await tell({ action: 'agent', state: 'finished', agentId: 'run-1', outcome: 'success' });

  expect(await result()).toMatchObject({ outcome: 'executed' });
});
