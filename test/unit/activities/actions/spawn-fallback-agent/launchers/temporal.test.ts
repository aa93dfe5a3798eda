import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { ActivityCancellationDetails, CancelledFailure } from '@temporalio/common';
import { NativeConnection } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { agentIn } from '#contract/attempt.js';
import { createAgentWorkflows, type Patience } from '#adapters/temporal/agent-workflows.js';
import { type AgentWorker, startAgentWorker } from '#test/support/agent-worker.js';
import { eventually } from '#test/support/eventually.js';
import { installQuietRuntime } from '#test/support/quiet-runtime.js';
import { type AskedOfAgent, createSpawnBench, type SpawnSetup } from '#test/support/spawn-activity.js';
import { startStallingProxy } from '#test/support/stalling-proxy.js';
import { tempFolder } from '#test/support/temp-folder.js';
import { ownSpawnRequest } from '../own-spawn-request.js';

installQuietRuntime();

let worker: AgentWorker;
let client: Client;

beforeAll(async () => {
  worker = await startAgentWorker();
  // The mesh asks over the connection of its worker, too.
  client = new Client({ connection: worker.connection });
});

afterAll(() => worker.stop());

function bench(workflowType: string, more: Partial<SpawnSetup> = {}, agent: Record<string, unknown> = {}) {
  return createSpawnBench({
    agents: {
      default: { temporal: { workflowType, taskQueue: worker.taskQueue }, fallbacks: ['other'], ...agent },
      other: { command: ['true'] },
    },
    folder: tempFolder(),
    agentWorkflows: createAgentWorkflows(client),
    ...more,
  });
}

function request({ plan, ...more }: AskedOfAgent = {}) {
  const effectKey = `remediation/default/r/${randomUUID()}/agent`;
  return ownSpawnRequest({ plan: { effectKey, await: 'finished', ...plan }, ...more });
}

test('a workflow of its type is started under the effect key, and its result is what the agent said', async () => {
  const { spawn, known, news, asked: expected } = bench('reviewer');
  const asked = request({ event: { depth: 1 } });
  const { effectKey } = asked.plan;

  const answer = await spawn(asked).answer;

  const session = known[0]?.ids[0];
  expect(answer).toEqual({
    state: 'finished',
    agent: {
      launcher: 'default',
      id: effectKey,
      session,
      outcome: 'success',
      outputTail: 'looked at event-1 at depth 2: You are a fallback agent',
    },
    detail: 'Fallback agent ran (workflow completed); output: looked at event-1 at depth 2: You are a fallback agent',
    attempts: 1,
  });
  expect(known).toMatchObject([{ ids: [session, effectKey], depth: 2, isAwaited: false }]);
  expect(news).toMatchObject([
    { news: { state: 'launched', agent: { launcher: 'default', id: effectKey, session, outcome: 'running' } } },
  ]);
  // Before it is asked for: an abort may come between two attempts.
  expect(expected).toEqual([{ launcher: 'default', id: effectKey, session, outcome: 'running', mayNotExist: true }]);
  const { type, staticSummary } = await described(effectKey);
  expect({ type, staticSummary }).toEqual({ type: 'reviewer', staticSummary: 'Fallback agent for r' });
});

test('a result that is no text is shown as JSON', async () => {
  expect(await bench('counter').spawn(request()).answer).toMatchObject({ agent: { outputTail: '{"found":3}' } });
});

test('one whose result cannot be read has ended all the same', async () => {
  const asked = request();
  const answer = await bench('secretive').spawn(asked).answer;

  expect(answer).toMatchObject({
    state: 'finished',
    agent: { id: asked.plan.effectKey, outcome: 'success' },
    detail: 'Fallback agent ran (workflow completed); its result cannot be read: Unknown encoding: binary/encrypted',
  });
  expect(answer).not.toHaveProperty('agent.outputTail');
});

test('one that fails for a reason that cannot be read has failed', async () => {
  expect(await bench('sulky').failure(request())).toMatchObject({
    type: 'agent-failed',
    message: 'Fallback agent workflow failed: the reason cannot be read: Unknown encoding: binary/encrypted',
    isFinal: true,
    details: { known: { state: 'ended', agent: { outcome: 'failed' } } },
  });
});

test('where a rule only wants it launched, nobody waits', async () => {
  const asked = request({ plan: { await: 'launched' } });

  const answer = await bench('patient').spawn(asked).answer;

  const id = asked.plan.effectKey;
  expect(answer).toMatchObject({
    state: 'launched',
    agent: { id, outcome: 'running' },
    detail: `Fallback agent launched: ${id}`,
  });
  await client.workflow.getHandle(id).terminate();
});

test('asking twice starts one, and the second waits for it too', async () => {
  const asked = request();
  const { spawn } = bench('counter');

  const first = await spawn(asked).answer;
  const { runId } = await described(asked.plan.effectKey);
  const second = await spawn(asked, { attempt: 2 }).answer;

  expect([first, second]).toMatchObject([{ state: 'finished' }, { state: 'finished', attempts: 2 }]);
  expect((await described(asked.plan.effectKey)).runId).toBe(runId);
});

test('one that fails is final, and says why without secrets', async () => {
  const asked = request();

  expect(await bench('clumsy', { redact: { patterns: ['C-[0-9]+'] } }).failure(asked)).toEqual({
    type: 'agent-failed',
    message: 'Fallback agent workflow failed: could not read [redacted] ⏎ at all',
    isFinal: true,
    retryAfterMs: undefined,
    details: {
      attempts: 1,
      known: {
        state: 'ended',
        agent: {
          launcher: 'default',
          id: asked.plan.effectKey,
          session: expect.any(String) as string,
          outcome: 'failed',
        },
      },
    },
  });
});

test('the retry of one that has failed starts another, once for all its attempts', async () => {
  const { failure } = bench('clumsy');
  const asked = request();
  const agent = agentIn((await failure(asked)).details.known);
  const { runId } = await described(asked.plan.effectKey);
  const result = { action: 'agent', type: 'spawn_fallback_agent', status: 'failed', attempts: 1 } as const;
  const earlier = agent ? [{ ...result, agent }] : [];
  const again = { ...asked, remediation: { ...asked.remediation, earlier } };

  const first = agentIn((await failure(again)).details.known)?.id ?? '';
  const started = await described(first);
  const second = agentIn((await failure(again, { attempt: 2 })).details.known)?.id;

  expect(first).toBe(`${asked.plan.effectKey}~retry-${agent?.session?.slice(0, 8)}`);
  expect(second).toBe(first);
  expect((await described(first)).runId).toBe(started.runId);
  expect((await described(asked.plan.effectKey)).runId).toBe(runId);
});

test('one whose end nobody knows is asked for again under the same key, and none is started beside it', async () => {
  const { failure } = bench('clumsy');
  const asked = request();
  await failure(asked);
  const { runId } = await described(asked.plan.effectKey);

  await failure({ ...asked, remediation: { ...asked.remediation, earlier: [] } }, { attempt: 2 });

  expect((await described(asked.plan.effectKey)).runId).toBe(runId);
});

const QUICK: Patience = { answersWithinMs: 5_000, askForMs: 150, endsWithinMs: 300 };

test('one that works longer than a question may take is asked after again and again', async () => {
  const { spawn } = bench('thorough', { agentWorkflows: createAgentWorkflows(client, QUICK) });

  expect(await spawn(request()).answer).toMatchObject({ agent: { outputTail: 'looked everywhere' } });
});

test('also when the server does not even answer in time', async () => {
  const proxy = await startStallingProxy(inject('temporalAddress'));
  const connection = await NativeConnection.connect({ address: proxy.address });
  const slow = new Client({ connection });
  const asked = request();
  const { spawn, news } = bench('thorough', { agentWorkflows: createAgentWorkflows(slow, QUICK) });
  const { answer } = spawn(asked);
  await eventually('the agent', () => news[0]);

  proxy.stall();
  await setTimeout(4 * QUICK.askForMs);
  proxy.goOn();

  expect(await answer).toMatchObject({ agent: { outputTail: 'looked everywhere' } });
  await connection.close();
  await proxy.close();
});

describe('a server that takes a question and does not answer', () => {
  const IMPATIENT: Patience = { ...QUICK, answersWithinMs: 1_500 };
  /** Longer than any of the questions takes here, and much shorter than a connection waits by itself. */
  const SOON_MS = 5_000;

  test('ends the attempt to start one in time, and the next finds the one that it has started', async () => {
    const asked = request();
    const { server, spawning } = await stallingServer('counter');
    server.stall();

    const first = await inTime(SOON_MS, spawning.failure(asked));
    const second = await bench('counter').spawn(asked, { attempt: 2, earlier: first.details }).answer;

    expect(first).toMatchObject({
      type: 'action-error',
      message: 'the Temporal server did not answer within 1500 ms',
      isFinal: false,
      details: { known: { state: 'asked', agent: { id: asked.plan.effectKey, outcome: 'running' } } },
    });
    expect(second).toMatchObject({ state: 'finished', attempts: 2, agent: { id: asked.plan.effectKey } });
  });

  test('does not hold up an abort, which says that the agent may be at work', async () => {
    const asked = request();
    const { server, spawning } = await stallingServer('patient');
    const { answer, environment } = spawning.spawn(asked);
    await eventually('the agent', () => spawning.news[0]);
    server.stall();

    environment.cancel();

    await expect(inTime(SOON_MS, answer)).rejects.toMatchObject({
      details: [{ known: { state: 'asked', agent: { id: asked.plan.effectKey, outcome: 'running' } } }],
    });
    await eventually('its end', async () => (await statusOf(asked.plan.effectKey)) === 'CANCELLED' || undefined);
  });

  test('does not hold up who wants to end one that nobody has taken up', async () => {
    const patience = { ...IMPATIENT, endsWithinMs: 2_000 };
    const { server, workflows } = await stallingServer('patient', patience);
    const id = `nobody-${randomUUID()}`;
    const handle = await client.workflow.start('patient', { workflowId: id, taskQueue: id });
    const cancelling = inTime(patience.endsWithinMs + SOON_MS, workflows.cancel(id));
    await eventually('the cancellation', async () => {
      const { events } = await handle.fetchHistory();
      return events?.find((event) => event.workflowExecutionCancelRequestedEventAttributes);
    });
    server.stall();

    await expect(cancelling).rejects.toThrow('the Temporal server did not answer within 1500 ms');
    await handle.terminate();
  });

  /** One that the mesh asks, and that can be made to be silent. */
  async function stallingServer(workflowType: string, patience = IMPATIENT) {
    const server = await startStallingProxy(inject('temporalAddress'));
    const connection = await NativeConnection.connect({ address: server.address });
    onTestFinished(async () => {
      server.goOn();
      await connection.close();
      await server.close();
    });
    const workflows = createAgentWorkflows(new Client({ connection }), patience);
    return { server, workflows, spawning: bench(workflowType, { agentWorkflows: workflows }) };
  }

  async function inTime<T>(limitMs: number, answer: Promise<T>): Promise<T> {
    const late = setTimeout(limitMs, undefined, { ref: false }).then(() =>
      Promise.reject(new Error(`not over within ${limitMs} ms`)),
    );
    return Promise.race([answer, late]);
  }
});

test('one that somebody cancels has failed', async () => {
  const asked = request();
  const failing = bench('patient').failure(asked);
  const handle = client.workflow.getHandle(asked.plan.effectKey);
  await eventually('the workflow', () => handle.cancel().then(() => true));

  expect(await failing).toMatchObject({
    type: 'agent-failed',
    message: 'Fallback agent workflow was cancelled: Workflow canceled',
    isFinal: true,
  });
});

test('one over its time limit is cancelled', async () => {
  const asked = request();

  expect(await bench('patient', {}, { timeoutMs: 300 }).failure(asked)).toMatchObject({
    type: 'timeout',
    message: 'Fallback agent was asked to end after its time limit of 300ms',
    isFinal: true,
    details: { known: { state: 'ended', agent: { id: asked.plan.effectKey, outcome: 'timeout' } } },
  });
  await eventually('its end', async () => ((await statusOf(asked.plan.effectKey)) === 'CANCELLED' ? true : undefined));
});

test('one over its time limit may put things in order before the next is tried', async () => {
  const asked = request();

  const { details } = await bench('tidy', {}, { timeoutMs: 300 }).failure(asked);

  expect(details).toMatchObject({ known: { state: 'ended', agent: { outcome: 'timeout' } } });
  expect(await statusOf(asked.plan.effectKey)).toBe('CANCELLED');
});

test('one that completes when it is asked to end has done its work', async () => {
  const { spawn } = bench('brief', {}, { timeoutMs: 300 });

  expect(await spawn(request()).answer).toMatchObject({
    state: 'finished',
    agent: { outcome: 'success', outputTail: 'done after all' },
  });
});

test('an abort that it completes with is on record so', async () => {
  const { spawn, news } = bench('brief');
  const { answer, environment } = spawn(request());
  await eventually('the agent', () => news[0]);

  environment.cancel();

  await expect(answer).rejects.toMatchObject({
    details: [{ known: { state: 'ended', agent: { outcome: 'success' } } }],
  });
});

test('one that no worker has taken up makes way for the next launcher', async () => {
  const asked = request();
  const nobody = { temporal: { workflowType: 'patient', taskQueue: `nobody-${randomUUID()}` }, timeoutMs: 300 };
  const { failure } = bench('patient', { agentWorkflows: createAgentWorkflows(client, QUICK) }, nobody);

  const { details, isFinal } = await failure(asked);

  expect(isFinal).toBe(true);
  expect(details).toMatchObject({ known: { state: 'ended', agent: { id: asked.plan.effectKey, outcome: 'timeout' } } });
  expect(await statusOf(asked.plan.effectKey)).toBe('TERMINATED');
});

test('beside one that does not end, no other is tried', async () => {
  const asked = request();
  const { effectKey: workflowId } = asked.plan;
  // By an attempt before this one, so that the time limit is not over before a worker has it.
  await client.workflow.start('deaf', { workflowId, taskQueue: worker.taskQueue });
  await isTakenUp(workflowId);
  const deaf = bench('deaf', { agentWorkflows: createAgentWorkflows(client, QUICK) }, { timeoutMs: 300 });

  const { details, isFinal } = await deaf.failure(asked);

  expect(isFinal).toBe(true);
  expect(details).toMatchObject({ known: { state: 'left', agent: { id: workflowId, outcome: 'timeout' } } });
  await client.workflow.getHandle(workflowId).terminate();
});

test('heartbeats tell of the agent, so that none is started beside it when its worker dies', async () => {
  const asked = request();
  const { spawn, news } = bench('patient');
  const { answer, heartbeats, environment } = spawn(asked);

  await eventually('the agent', () => news[0]);

  expect(heartbeats[0]).toMatchObject({ known: { state: 'asked', agent: { id: asked.plan.effectKey } } });
  environment.cancel();
  await expect(answer).rejects.toThrow(CancelledFailure);
});

test('an abort says what has become of it', async () => {
  const abort = async (workflowType: string, patience?: Patience) => {
    const asked = request();
    const { spawn } = bench(workflowType, { agentWorkflows: createAgentWorkflows(client, patience) });
    const { answer, environment } = spawn(asked);
    await isTakenUp(asked.plan.effectKey);
    environment.cancel();
    const error: unknown = await answer.catch((reason: unknown) => reason);
    await client.workflow
      .getHandle(asked.plan.effectKey)
      .terminate()
      .catch(() => undefined);
    return (error as CancelledFailure).details;
  };

  expect(await abort('patient')).toMatchObject([{ known: { state: 'ended', agent: { outcome: 'failed' } } }]);
  expect(await abort('deaf', QUICK)).toMatchObject([{ known: { state: 'asked', agent: { outcome: 'running' } } }]);
});

test('an abort that meets no attempt cancels it', async () => {
  const asked = request({ plan: { await: 'launched' } });
  const { spawn, endAgent } = bench('patient');
  await spawn(asked).answer;
  const agent = { launcher: 'default', id: asked.plan.effectKey, outcome: 'running' } as const;

  expect(await endAgent({ ...asked, agent })).toEqual({ state: 'ended', agent: { ...agent, outcome: 'failed' } });
  expect(await statusOf(asked.plan.effectKey)).toBe('CANCELLED');
});

test('an abort cancels it', async () => {
  const asked = request();
  const { spawn } = bench('patient');
  const { answer, environment } = spawn(asked);
  await eventually('the workflow', () => statusOf(asked.plan.effectKey));

  environment.cancel();

  await expect(answer).rejects.toThrow(CancelledFailure);
  await eventually('its end', async () => ((await statusOf(asked.plan.effectKey)) === 'CANCELLED' ? true : undefined));
});

test('a worker that stops leaves it alone, and the next attempt waits for it', async () => {
  const asked = request();
  const { spawn, news } = bench('patient');
  const { answer, environment } = spawn(asked);
  await eventually('the agent', () => news[0]);

  environment.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));

  const { effectKey: id } = asked.plan;
  const agent = { launcher: 'default', id, session: expect.any(String) as string, outcome: 'running' };
  expect(await answer).toEqual({
    state: 'delayed',
    reason: 'the worker that ran it was stopped',
    attempts: 0,
    known: { state: 'asked', by: 'temporal', agent },
  });
  expect(await statusOf(asked.plan.effectKey)).toBe('RUNNING');
  await client.workflow.getHandle(asked.plan.effectKey).terminate('enough');
  await expect(spawn(asked, { attempt: 2 }).answer).rejects.toThrow('Fallback agent workflow failed: enough');
});

test.each<[string, SpawnSetup['closedAt']]>([
  ['', undefined],
  [', also when it cannot ask after its remediation', () => Promise.reject(new Error('the server is away'))],
])('an attempt that the server has given up leaves it to the next attempt%s', async (_, closedAt) => {
  const asked = request();
  const { spawn, news } = bench('patient', closedAt && { closedAt });
  const { answer, environment } = spawn(asked);
  await eventually('the agent', () => news[0]);

  environment.cancel('NOT_FOUND', new ActivityCancellationDetails({ notFound: true }));

  await expect(answer).rejects.toThrow(CancelledFailure);
  expect(await statusOf(asked.plan.effectKey)).toBe('RUNNING');
  await client.workflow.getHandle(asked.plan.effectKey).terminate();
});

test('where the server has given it up with its remediation, it is cancelled', async () => {
  const asked = request();
  const closed: string[][] = [];
  const closedAt = (...run: string[]) => {
    closed.push(run);
    return Promise.resolve(Date.now());
  };
  const { spawn, news } = bench('patient', { closedAt });
  const { answer, environment } = spawn(asked, { runId: 'run-1' });
  await eventually('the agent', () => news[0]);

  environment.cancel('NOT_FOUND', new ActivityCancellationDetails({ notFound: true }));

  await expect(answer).rejects.toThrow(CancelledFailure);
  expect(closed[0]).toEqual([asked.remediation.id, 'run-1']);
  expect(await statusOf(asked.plan.effectKey)).toBe('CANCELLED');
});

test('one that nobody has asked for yet is not at work', async () => {
  const tellWatch = () => Promise.reject(new Error('the server is away'));

  const { details } = await bench('patient', { tellWatch }).failure(request());

  expect(details).toEqual({ attempts: 1, known: { state: 'unasked' } });
});

test('what the server refuses is final', async () => {
  const effectKey = 'x'.repeat(2_000);

  expect(await bench('counter').failure(request({ plan: { effectKey } }))).toMatchObject({
    type: 'launch-failed',
    message: expect.stringMatching(
      /^Fallback agent launch failed: WorkflowId exceeds maximum allowed length/,
    ) as string,
    isFinal: true,
    details: { known: { state: 'unasked' } },
  });
});

test('to cancel what has ended, or was never there, is no error', async () => {
  const connection = await Connection.connect({ address: inject('temporalAddress') });
  const workflows = createAgentWorkflows(new Client({ connection }));

  expect(await workflows.cancel(randomUUID())).toMatchObject({ ended: 'cancelled' });
  await connection.close();
});

/** Until then, whoever ends it finds it untouched. */
function isTakenUp(id: string) {
  return eventually('a worker that has taken it up', async () => {
    const { events } = await client.workflow.getHandle(id).fetchHistory();
    return events?.find((event) => event.workflowTaskStartedEventAttributes);
  });
}

async function described(id: string) {
  const { type, runId, raw } = await client.workflow.getHandle(id).describe();
  const metadata = raw.executionConfig?.userMetadata?.summary?.data;
  return {
    type,
    runId,
    staticSummary: metadata ? (JSON.parse(Buffer.from(metadata).toString()) as unknown) : undefined,
  };
}

/** Nothing while it is not there. */
async function statusOf(id: string): Promise<string | undefined> {
  try {
    return (await client.workflow.getHandle(id).describe()).status.name;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
