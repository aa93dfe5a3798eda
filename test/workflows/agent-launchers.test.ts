import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AgentRequest } from '../../activities/actions/spawn-fallback-agent/agent-request.js';
import { QUERIES } from '../../contract/names.js';
import type { RemediationProgress } from '../../contract/remediation.js';
import { type AgentWorker, startAgentWorker } from '../support/agent-worker.js';
import { eventually } from '../support/eventually.js';
import { type HttpTarget, startHttpTarget } from '../support/http-target.js';
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
  const { report, result, mesh: client, tenant } = await meshWith({ default: service() }, { await: 'finished' });
  const [id = ''] = await report(failure);
  const { body } = await eventually('a request', () => runtime.requests[0]);
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

test('an agent too many waits for its turn, and says so', async () => {
  const agents = { default: { command: ['sh', '-c', 'sleep 1'], maxConcurrent: 1 } };
  const { report, result, remediation } = await meshWith(agents, {});
  const ids = await report(failure, failure);

  const notes = await eventually('a note', async () => {
    const now = ids.map((id) => remediation('r', id).query<RemediationProgress>(QUERIES.progress));
    const waiting = (await Promise.all(now)).flatMap(({ actions }) =>
      actions.flatMap((one) => ('note' in one ? one.note : [])),
    );
    return waiting.length > 0 ? waiting : undefined;
  });

  expect(notes).toEqual(['waits for a free slot of default, which runs 1 agent at a time']);
  for (const id of ids) expect((await result('r', id)).outcome).toBe('executed');
});
