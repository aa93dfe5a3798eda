import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AgentRequest } from '#contract/agent-request.js';
import { QUERIES } from '#contract/names.js';
import type { RemediationProgress } from '#contract/remediation.js';
import { type AgentWorker, startAgentWorker } from '../support/agent-worker.js';
import { eventually } from '../support/eventually.js';
import { failedResult } from '../support/failed-result.js';
import { type HttpTarget, startHttpTarget } from '../support/http-target.js';
import { tempFolder } from '../support/temp-folder.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';

// Agents of every kind, from the event to the record, with nothing in between replaced.

const quick = { maxAttempts: 2, initialIntervalMs: 50, maxIntervalMs: 50 };

let runtime: HttpTarget;
let mesh: TestMesh;
let others: AgentWorker;

beforeAll(async () => {
  others = await startAgentWorker();
});

afterAll(() => others.stop());

beforeEach(async () => {
  runtime = await startHttpTarget();
});

afterEach(async () => {
  await mesh.stop();
  await runtime.close();
});

async function meshWith(agents: Record<string, unknown>, action: Record<string, unknown>): Promise<TestMesh> {
  const spawn = { type: 'spawn_fallback_agent', id: 'agent', retry: quick, ...action };
  mesh = await startTestMesh({
    rules: {
      defaultCooldownMs: 0,
      defaultDedupWindowMs: 0,
      rules: [{ id: 'r', trigger: { event: 'PostToolUseFailure' }, actions: [spawn] }],
    },
    config: { agents, outbound: { privateHosts: ['127.0.0.1'] } },
  });
  return mesh;
}

const failure = { event: 'PostToolUseFailure', outcome: 'failed' } as const;
const service = () => ({ http: { url: runtime.url } });
const workflow = (workflowType: string) => ({ temporal: { workflowType, taskQueue: others.taskQueue } });

test('a service starts an agent, and the event of its end, with the token, ends the action', async () => {
  runtime.answer({ body: JSON.stringify({ launched: true, agentId: 'agent-7' }) });
  const {
    report,
    result,
    remediation,
    mesh: client,
    tenant,
  } = await meshWith({ default: service() }, { await: 'finished' });
  const [id = ''] = await report(failure);
  const { body } = await eventually('a request', () => runtime.requests[0]);
  await eventually('the agent by its name', async () => {
    const { actions } = await remediation('r', id).query<RemediationProgress>(QUERIES.progress);
    return actions[0]?.agent?.id === 'agent-7' || undefined;
  });
  const { lineage, session } = JSON.parse(body) as AgentRequest;

  const token = { lineage: { token: lineage } };
  const [own = '', end = ''] = await report(
    { ...failure, ...token },
    { event: 'TaskCompleted', outcome: 'success', agent: 'agent-7', ...token },
  );

  const { outcome, actions } = await result('r', id);
  expect(outcome).toBe('executed');
  expect(actions).toMatchObject([
    {
      status: 'executed',
      agent: { launcher: 'default', id: 'agent-7', session, outcome: 'success' },
      launches: [{ launcher: 'default', status: 'launched', attempts: 1 }],
    },
  ]);
  const verdicts = await Promise.all([own, end].map((eventId) => client.verdicts(eventId, tenant)));
  expect(verdicts.map(([verdict]) => verdict?.depth)).toEqual([1, 1]);
});

test('a restart of the worker in between loses neither whose agent it is, nor its end', async () => {
  runtime.answer({ body: JSON.stringify({ launched: true }) });
  const { report, result, stopWorker, startWorker, verdicts } = await meshWith(
    { default: service() },
    { await: 'finished' },
  );
  const [id = ''] = await report(failure);
  const { body } = await eventually('a request', () => runtime.requests[0]);
  const { session } = JSON.parse(body) as AgentRequest;

  await stopWorker();
  await startWorker();
  const [own = ''] = await report({ ...failure, event: 'Other', session });
  await report({ event: 'TaskCompleted', outcome: 'success', session });

  expect(await result('r', id)).toMatchObject({ actions: [{ status: 'executed', agent: { outcome: 'success' } }] });
  expect(await verdicts(own)).toMatchObject([{ depth: 1 }]);
});

test('an end that is reported in time counts, also when no worker runs before the time is over', async () => {
  runtime.answer({ body: JSON.stringify({ launched: true }) });
  const { report, result, remediation, stopWorker, startWorker } = await meshWith(
    { default: service() },
    { await: 'finished', timeoutMs: 8_000 },
  );
  const [id = ''] = await report(failure);
  const { body } = await eventually('a request', () => runtime.requests[0]);
  await eventually('the wait for its end', async () => {
    const { actions } = await remediation('r', id).query<RemediationProgress>(QUERIES.progress);
    return actions[0]?.agent?.outcome === 'running' || undefined;
  });
  const { session } = JSON.parse(body) as AgentRequest;

  await stopWorker();
  await report({ event: 'TaskCompleted', outcome: 'success', session });
  await eventually(
    'the end of its time, and a while more',
    async () => {
      const { events } = await remediation('r', id).fetchHistory();
      const firedAt = Number(events?.find((one) => one.timerFiredEventAttributes)?.eventTime?.seconds ?? Infinity);
      return Date.now() - firedAt * 1_000 > 6_000 || undefined;
    },
    25_000,
  );
  await startWorker();

  expect(await result('r', id)).toMatchObject({ actions: [{ status: 'executed', agent: { outcome: 'success' } }] });
});

test('a worker that is stopped makes way for the next launcher, also in the last attempt', async () => {
  const agents = { default: { command: ['sleep', '600'], fallbacks: ['script'] }, script: { command: ['true'] } };
  const { report, result, remediation, stopWorker, startWorker } = await meshWith(agents, {
    retry: { maxAttempts: 1 },
  });
  const [id = ''] = await report(failure);
  const agent = await eventually('the agent', async () => {
    const now = await remediation('r', id).query<RemediationProgress>(QUERIES.progress);
    return now.actions[0]?.agent;
  });

  await stopWorker();
  await startWorker();

  expect((await result('r', id)).actions).toMatchObject([
    {
      status: 'executed',
      launches: [
        {
          launcher: 'default',
          status: 'failed',
          reason: 'the worker that ran it was stopped',
          agent: { session: agent.session, outcome: 'failed' },
        },
        { launcher: 'script', status: 'launched' },
      ],
    },
  ]);
});

test('the retry of an aborted workflow agent is another one', async () => {
  const agents = { default: workflow('patient') };
  const { report, result, remediation, mesh: client } = await meshWith(agents, { await: 'finished' });
  const [id = ''] = await report(failure);
  const agentOf = () =>
    eventually('the agent', async () => {
      const now = await remediation('r', id).query<RemediationProgress>(QUERIES.progress);
      return now.actions[0]?.agent;
    });
  const first = await agentOf();
  await remediation('r', id).cancel();
  await result('r', id);

  await client.retry(remediation('r', id).workflowId);

  const second = await agentOf();
  expect(second.id).toBe(`${first.id}~retry-${first.session?.slice(0, 8)}`);
  await remediation('r', id).cancel();
  await result('r', id);
});

test('the retry that asks for an agent that has ended since hears of its end', async () => {
  runtime.answer({ body: JSON.stringify({ launched: true, agentId: 'agent-7' }) });
  const agents = { default: service() };
  const { report, result, remediation, judged, mesh: client } = await meshWith(agents, { await: 'finished' });
  const [id = ''] = await report(failure);
  // From the question on it is known by its session, and only after the answer by its name.
  const waits = async () => {
    const now = await remediation('r', id).query<RemediationProgress>(QUERIES.progress);
    return now.actions[0]?.agent?.id === 'agent-7' ? now.actions[0].agent : undefined;
  };
  const { session } = await eventually('the agent', waits);
  await remediation('r', id).cancel();
  expect((await result('r', id)).outcome).toBe('aborted');
  const [end = ''] = await report({ event: 'TaskCompleted', outcome: 'success', agent: 'agent-7' });
  await judged(end);

  runtime.answer({ status: 409 });
  await client.retry(remediation('r', id).workflowId);

  const { actions } = await result('r', id);
  expect(runtime.requests).toHaveLength(2);
  expect(actions).toMatchObject([{ status: 'executed', agent: { session, outcome: 'success' } }]);
});

test.each([
  ['of an agent that has failed', 'finished', { launched: true, agentId: 'agent-7' }],
  ['of one that was declined', 'launched', { launched: false, reason: 'no budget left' }],
])('a retry under a new name of the launcher starts an agent of its own: %s', async (_what, awaited, firstAnswer) => {
  const keys = new Set<unknown>();
  runtime.answer((response, { headers }) => {
    const key = headers['idempotency-key'];
    const isUsed = keys.has(key);
    const body = keys.size === 0 ? firstAnswer : { launched: true, agentId: 'agent-8' };
    keys.add(key);
    response.writeHead(isUsed ? 409 : 200).end(JSON.stringify(body));
  });
  const agents = { default: service() };
  const {
    report,
    result,
    remediation,
    writeConfig,
    mesh: client,
  } = await meshWith(agents, {
    agentType: 'later',
    await: awaited,
  });
  const endOf = async (question: number, outcome: 'failed' | 'success') => {
    if (awaited === 'launched') return;
    const { body } = await eventually('the question', () => runtime.requests[question]);
    const { session } = JSON.parse(body) as AgentRequest;
    await report({ event: 'TaskCompleted', outcome, session });
  };
  const [id = ''] = await report(failure);
  await endOf(0, 'failed');
  expect((await failedResult(result('r', id))).outcome).toBe('failed');

  await writeConfig({ agents: { ...agents, later: service() }, outbound: { privateHosts: ['127.0.0.1'] } });
  await client.retry(remediation('r', id).workflowId);
  await endOf(1, 'success');

  const { actions } = await result('r', id);
  expect(actions).toMatchObject([{ status: 'executed', agent: { launcher: 'later', id: 'agent-8' } }]);
  expect(keys.size).toBe(2);
});

test('service, workflow, command: each is tried when the one before has failed for good', async () => {
  runtime.answer({ body: JSON.stringify({ launched: false, reason: 'no budget left' }) });
  const agents = {
    default: { ...service(), fallbacks: ['review', 'script'] },
    review: workflow('clumsy'),
    script: { command: ['sh', '-c', 'echo "$MESH_EFFECT_KEY"'] },
  };
  const { report, result } = await meshWith(agents, { await: 'finished' });
  const [id = ''] = await report(failure);

  const { actions } = await result('r', id);

  const [key = ''] = runtime.requests.map(({ headers }) => headers['idempotency-key']);
  expect(runtime.requests).toHaveLength(1);
  expect(actions).toMatchObject([
    {
      status: 'executed',
      agent: { launcher: 'script', outcome: 'success', outputTail: `${String(key)}~script` },
      launches: [
        { launcher: 'default', status: 'failed', reason: 'no budget left', attempts: 1 },
        {
          launcher: 'review',
          status: 'failed',
          reason: expect.stringContaining('Fallback agent workflow failed: could not read C-1234') as string,
          attempts: 1,
        },
        { launcher: 'script', status: 'launched', attempts: 1 },
      ],
    },
  ]);
});

test('a workflow is awaited, and its result is in the record', async () => {
  const { report, result } = await meshWith({ default: workflow('counter') }, { await: 'finished' });
  const [id = ''] = await report(failure);

  expect((await result('r', id)).actions).toMatchObject([
    { status: 'executed', agent: { outcome: 'success', outputTail: '{"found":3}' } },
  ]);
});

test('an abort of the remediation cancels the workflow that is its agent', async () => {
  const { report, result, remediation, client } = await meshWith(
    { default: workflow('patient') },
    { await: 'finished' },
  );
  const [id = ''] = await report(failure);
  const agent = await eventually('the agent', async () => {
    const now = await remediation('r', id).query<RemediationProgress>(QUERIES.progress);
    return now.actions[0]?.agent;
  });

  await remediation('r', id).cancel();

  expect((await result('r', id)).outcome).toBe('aborted');
  const handle = client.workflow.getHandle(agent.id ?? '');
  await eventually('its end', async () => ((await handle.describe()).status.name === 'CANCELLED' ? true : undefined));
});

test.each([
  [
    'says that it is not, where the service has not taken the request',
    503,
    'aborted between two attempts, or before the first',
    {},
  ],
  [
    'says that it may be, where nobody knows',
    502,
    / may still be at work$/,
    { agent: { outcome: 'running', mayNotExist: true } },
  ],
])('an abort between two attempts, asked whether an agent is at work, %s', async (_what, status, reason, known) => {
  runtime.answer({ status });
  const retry = { ...quick, initialIntervalMs: 60_000, maxIntervalMs: 60_000 };
  const { report, result, remediation } = await meshWith({ default: service() }, { retry });
  const [id = ''] = await report(failure);
  await eventually('the time between two attempts', async () => {
    const [activity] = (await remediation('r', id).describe()).raw.pendingActivities ?? [];
    return activity?.attempt === 2 ? true : undefined;
  });

  await remediation('r', id).cancel();

  const { actions } = await result('r', id);
  const said = typeof reason === 'string' ? reason : (expect.stringMatching(reason) as string);
  expect(actions).toMatchObject([{ status: 'aborted', reason: said, ...known }]);
});

test('an agent too many waits for its turn, and says so', async () => {
  const seen = join(tempFolder(), 'seen');
  const untilSeen = ['sh', '-c', 'until [ -e "$0" ]; do sleep 0.1; done', seen];
  const agents = { default: { command: untilSeen, maxConcurrent: 1 } };
  const { report, result, remediation } = await meshWith(agents, {});
  const ids = await report(failure, failure);

  const waits = await eventually('one that waits', async () => {
    const now = ids.map((id) => remediation('r', id).query<RemediationProgress>(QUERIES.progress));
    const waiting = (await Promise.all(now)).flatMap(({ actions }) =>
      actions.flatMap((one) => ('doing' in one ? (one.doing ?? []) : [])),
    );
    return waiting.length > 0 ? waiting : undefined;
  });

  await writeFile(seen, '');
  expect(waits).toEqual([{ is: 'waiting-for-slot', launcher: 'default', slots: 1 }]);
  for (const id of ids) expect((await result('r', id)).outcome).toBe('executed');
});
