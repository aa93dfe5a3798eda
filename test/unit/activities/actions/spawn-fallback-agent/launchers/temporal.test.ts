import { randomUUID } from 'node:crypto';
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { ActivityCancellationDetails, CancelledFailure } from '@temporalio/common';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createAgentWorkflows } from '../../../../../../activities/actions/spawn-fallback-agent/adapters/agent-workflows.js';
import { type AgentWorker, startAgentWorker } from '../../../../../support/agent-worker.js';
import { eventually } from '../../../../../support/eventually.js';
import { installQuietRuntime } from '../../../../../support/quiet-runtime.js';
import { type AskedOfAgent, createSpawnBench, type SpawnSetup } from '../../../../../support/spawn-activity.js';
import { tempFolder } from '../../../../../support/temp-folder.js';
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
  const { spawn, known, news } = bench('reviewer');
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
    next: 'other',
  });
  expect(known).toMatchObject([{ ids: [session, effectKey], depth: 2, isAwaited: false }]);
  expect(news).toMatchObject([
    { news: { state: 'launched', agent: { launcher: 'default', id: effectKey, session, outcome: 'running' } } },
  ]);
  const { type, staticSummary } = await described(effectKey);
  expect({ type, staticSummary }).toEqual({ type: 'reviewer', staticSummary: 'Fallback agent for r' });
});

test('a result that is no text is shown as JSON', async () => {
  expect(await bench('counter').spawn(request()).answer).toMatchObject({ agent: { outputTail: '{"found":3}' } });
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

  const [first, second] = [await spawn(asked).answer, await spawn(asked, { attempt: 2 }).answer];

  expect([first, second]).toMatchObject([{ state: 'finished' }, { state: 'finished', attempts: 2 }]);
  const runs = client.workflow.list({ query: `WorkflowId = "${asked.plan.effectKey}"` });
  expect(await eventually('the run in the list', async () => (await ids(runs))[0])).toBeDefined();
  expect(await ids(client.workflow.list({ query: `WorkflowId = "${asked.plan.effectKey}"` }))).toHaveLength(1);
});

test('one that fails is final, says why without secrets, and names the next', async () => {
  const asked = request();

  expect(await bench('clumsy', { redact: { patterns: ['C-[0-9]+'] } }).failure(asked)).toEqual({
    type: 'agent-failed',
    message: 'Fallback agent workflow failed: could not read [redacted] ⏎ at all',
    isFinal: true,
    retryAfterMs: undefined,
    details: {
      attempts: 1,
      launcher: 'default',
      next: 'other',
      agent: {
        launcher: 'default',
        id: asked.plan.effectKey,
        session: expect.any(String) as string,
        outcome: 'failed',
      },
    },
  });
});

test('one that failed runs once more when an operator wants that, and not otherwise', async () => {
  const { failure } = bench('clumsy');
  const asked = request();
  await failure(asked);
  const { runId } = await described(asked.plan.effectKey);

  await failure(asked);
  expect((await described(asked.plan.effectKey)).runId).toBe(runId);
  await failure({ ...asked, remediation: { ...asked.remediation, earlier: [] } });

  expect((await described(asked.plan.effectKey)).runId).not.toBe(runId);
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
    details: { next: 'other', agent: { id: asked.plan.effectKey, outcome: 'timeout' } },
  });
  await eventually('its end', async () => ((await statusOf(asked.plan.effectKey)) === 'CANCELLED' ? true : undefined));
});

test('an abort cancels it', async () => {
  const asked = request();
  const { answer, environment } = bench('patient').spawn(asked);
  await eventually('the workflow', () => statusOf(asked.plan.effectKey));

  environment.cancel();

  await expect(answer).rejects.toThrow(CancelledFailure);
  await eventually('its end', async () => ((await statusOf(asked.plan.effectKey)) === 'CANCELLED' ? true : undefined));
});

test('a worker that stops leaves it alone, and the next attempt waits for it', async () => {
  const asked = request();
  const { spawn } = bench('patient');
  const { answer, environment } = spawn(asked);
  await eventually('the workflow', () => statusOf(asked.plan.effectKey));

  environment.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));

  await expect(answer).rejects.toThrow(CancelledFailure);
  expect(await statusOf(asked.plan.effectKey)).toBe('RUNNING');
  await client.workflow.getHandle(asked.plan.effectKey).terminate('enough');
  await expect(spawn(asked, { attempt: 2 }).answer).rejects.toThrow('Fallback agent workflow failed: enough');
});

test('what the server refuses is final', async () => {
  const effectKey = 'x'.repeat(2_000);

  expect(await bench('counter').failure(request({ plan: { effectKey } }))).toMatchObject({
    type: 'launch-failed',
    message: expect.stringMatching(
      /^Fallback agent launch failed: WorkflowId exceeds maximum allowed length/,
    ) as string,
    isFinal: true,
    details: { next: 'other' },
  });
});

test('to cancel what has ended, or was never there, is no error', async () => {
  const connection = await Connection.connect({ address: inject('temporalAddress') });
  const workflows = createAgentWorkflows(new Client({ connection }));

  await expect(workflows.cancel(randomUUID())).resolves.toBeUndefined();
  await connection.close();
});

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

async function ids(runs: AsyncIterable<{ workflowId: string }>): Promise<string[]> {
  const found = [];
  for await (const { workflowId } of runs) found.push(workflowId);
  return found;
}
