import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { QUERIES } from '#contract/names.js';
import type { RemediationProgress } from '#contract/remediation.js';
import { writeAgent } from '../support/agent-scripts.js';
import { type BridgeServer, startBridgeServer } from '../support/bridge-server.js';
import { eventually } from '../support/eventually.js';
import { failedResult } from '../support/failed-result.js';
import { mailParts } from '../support/mail-parts.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { isRunning, pidsIn } from '../support/processes.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';

const quick = { maxAttempts: 3, initialIntervalMs: 50, maxIntervalMs: 100 };

let mail: MailServer;
let bridge: BridgeServer;
let folder: string;
let mesh: TestMesh | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mesh-remediation-'));
  [mail, bridge] = await Promise.all([startMailServer(), startBridgeServer()]);
});

afterEach(async () => {
  await mesh?.stop();
  await Promise.all([mail.close(), bridge.close()]);
  await rm(folder, { recursive: true, force: true });
});

async function meshWith(actions: unknown[], command: string[] = ['true']): Promise<TestMesh> {
  mesh = await startTestMesh({
    smtpUrl: mail.url,
    rules: {
      defaultCooldownMs: 0,
      rules: [{ id: 'r', trigger: { event: 'TaskCompleted' }, actions }],
    },
    config: {
      agents: { default: { command } },
      teams: {
        ops: {
          members: [
            { name: 'ada', email: 'ada@example.com' },
            { name: 'bob', email: 'bob@example.com' },
          ],
        },
        silent: { members: [{ name: 'nobody' }] },
      },
      ...bridge.config,
    },
  });
  return mesh;
}

test('an action that fails and then works is executed, under one effect key', async () => {
  bridge.script.push({ status: 503 }, { status: 500 });
  const { report, result } = await meshWith([{ type: 'warm_remote_capacity', retry: quick }]);
  const [id = ''] = await report({});

  const { outcome, actions } = await result('r', id);

  expect(outcome).toBe('executed');
  expect(actions).toMatchObject([{ status: 'executed', attempts: 3 }]);
  expect(bridge.requests).toHaveLength(3);
  expect(new Set(bridge.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
});

test('the bridge is asked again when it said to, not before', async () => {
  bridge.script.push({ status: 429, headers: { 'retry-after': '1' } });
  const { report, result } = await meshWith([{ type: 'warm_remote_capacity', retry: quick }]);
  const startedAt = Date.now();
  const [id = ''] = await report({});

  const { actions } = await result('r', id);

  expect(actions).toMatchObject([{ status: 'executed', attempts: 2 }]);
  expect(Date.now() - startedAt).toBeGreaterThanOrEqual(1_000);
});

test('a refusal for good is not retried, the next action runs, and the workflow closes as failed', async () => {
  bridge.script.push({ status: 403 });
  const { report, result } = await meshWith([
    { type: 'warm_remote_capacity', id: 'warm', retry: quick },
    { type: 'notify_team', id: 'tell', teamName: 'ops' },
  ]);
  const [id = ''] = await report({});

  const { outcome, actions } = await failedResult(result('r', id));

  expect(outcome).toBe('failed');
  expect(actions).toMatchObject([
    { action: 'warm', status: 'failed', reason: 'Remote warm-up failed: the bridge answered 403', attempts: 1 },
    { action: 'tell', status: 'executed' },
  ]);
  expect(bridge.requests).toHaveLength(1);
  expect(mail.mails).toHaveLength(2);
  expect(mailParts(mail.mails[0]?.source ?? '').text).toContain('warm (warm_remote_capacity): failed');
});

test('an action that gives up says how often it was tried', async () => {
  bridge.script.push({ status: 500 }, { status: 500 }, { status: 500 });
  const { report, result } = await meshWith([{ type: 'warm_remote_capacity', retry: quick }]);
  const [id = ''] = await report({});

  const { actions } = await failedResult(result('r', id));

  expect(actions).toMatchObject([{ status: 'failed', attempts: 3 }]);
});

test('a bridge that never answers is given up after the time limit', async () => {
  bridge.script.push('hang');
  const retry = { ...quick, maxAttempts: 1 };
  // All of the attempt is within it, also the question whether the bridge is there at all, which is answered.
  const { report, result } = await meshWith([{ type: 'warm_remote_capacity', timeoutMs: 3_000, retry }]);
  const [id = ''] = await report({});

  const { actions } = await failedResult(result('r', id));

  expect(actions).toMatchObject([{ status: 'failed', reason: 'Remote warm-up failed: no answer within 3000ms' }]);
});

test('an agent that ends badly is retried; its exit code and the end of its output are recorded', async () => {
  const agent = await writeAgent(folder, `console.log('x'.repeat(6000) + 'END'); process.exit(7);`);
  const { report, result } = await meshWith(
    [{ type: 'spawn_fallback_agent', retry: { ...quick, maxAttempts: 2 } }],
    agent.command,
  );
  const [id = ''] = await report({});

  const { actions } = await failedResult(result('r', id));

  expect(actions).toMatchObject([{ status: 'failed', reason: 'Fallback agent ended with exit code 7', attempts: 2 }]);
  expect(actions[0]?.detail).toMatch(/^output: .*x{1000,}END$/s);
  expect((await readFile(agent.runsFile, 'utf8')).trim().split('\n')).toHaveLength(2);
});

test.each([
  [
    'a missing program',
    ['/no/such/program'],
    /^Fallback agent launch failed: \/no\/such\/program in .*: spawn .* ENOENT$/,
  ],
  ['a program that is killed', ['sh', '-c', 'kill -9 $$'], /^Fallback agent was ended by SIGKILL$/],
])('%s is a failure with its reason', async (_name, command, reason) => {
  const retry = { ...quick, maxAttempts: 1 };
  const { report, result } = await meshWith([{ type: 'spawn_fallback_agent', retry }], command);
  const [id = ''] = await report({});

  const { actions } = await failedResult(result('r', id));

  expect(actions[0]?.reason).toMatch(reason);
});

test('an agent over its time limit is ended with everything it started', async () => {
  const pidsFile = join(folder, 'pids');
  // A shell, since it has begun long before its time is over, which counts from before its launch.
  const agent = ['sh', '-c', `trap '' TERM; sleep 600 & echo $$ $! > ${pidsFile}; wait`];
  const retry = { ...quick, maxAttempts: 1 };
  const { report, result } = await meshWith([{ type: 'spawn_fallback_agent', timeoutMs: 4_000, retry }], agent);
  const [id = ''] = await report({});

  const { actions } = await failedResult(result('r', id));

  expect(actions[0]?.reason).toBe('Fallback agent was ended after its time limit of 4000ms');
  for (const pid of await pidsIn(pidsFile, 2)) expect(await isRunning(pid)).toBe(false);
});

test('cancelling the remediation aborts it: the agent is gone in five seconds, what had not begun never begins', async () => {
  const agent = await writeAgent(folder, `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);`);
  const { report, remediation, result } = await meshWith(
    [
      { type: 'spawn_fallback_agent', id: 'agent', await: 'finished' },
      { type: 'notify_team', id: 'tell', teamName: 'ops' },
    ],
    agent.command,
  );
  const [id = ''] = await report({});
  const pid = await eventually('agent', async () => {
    const [, found] = (await readFile(agent.runsFile, 'utf8')).trim().split(' ');
    return found === undefined ? undefined : Number(found);
  });

  const abortedAt = performance.now();
  await remediation('r', id).cancel();
  await eventually('end of the agent', async () => ((await isRunning(pid)) ? undefined : true));
  const goneAfterMs = performance.now() - abortedAt;
  const { outcome, actions } = await result('r', id);

  // About one until a heartbeat tells of the abort, and two to end politely, which this one does not.
  expect(goneAfterMs).toBeLessThan(5_000);
  expect(outcome).toBe('aborted');
  expect(actions).toMatchObject([
    { action: 'agent', status: 'aborted', reason: 'aborted while it ran' },
    { action: 'tell', status: 'aborted', reason: 'aborted before it started', attempts: 0 },
  ]);
  expect(mail.mails).toHaveLength(0);
});

test('the next action starts while the agent works, and its message says so', async () => {
  const agent = await writeAgent(folder, 'setInterval(() => {}, 1000);');
  const { report, remediation, result } = await meshWith(
    [
      { type: 'spawn_fallback_agent', id: 'agent' },
      { type: 'notify_team', id: 'tell', teamName: 'ops', recipients: ['ada'] },
    ],
    agent.command,
  );
  const [id = ''] = await report({});

  // The mail is there before whoever sent it knows.
  await eventually('end of the message', async () => {
    const now = await remediation('r', id).query<RemediationProgress>(QUERIES.progress);
    return now.actions[1]?.status === 'executed' || undefined;
  });
  await remediation('r', id).cancel();
  const { actions } = await result('r', id);

  expect(mailParts(mail.mails[0]?.source ?? '').text).toContain('still running');
  expect(actions).toMatchObject([{ status: 'aborted' }, { status: 'executed' }]);
});

test('an agent is tried, and only when it and its fallback have failed is somebody woken', async () => {
  const wake = { type: 'notify_team', id: 'wake', teamName: 'ops', recipients: ['ada'], onlyIf: 'failed' };
  mesh = await startTestMesh({
    smtpUrl: mail.url,
    rules: {
      defaultCooldownMs: 0,
      rules: ['fails', 'works'].map((agentType) => ({
        id: agentType,
        trigger: { event: 'TaskCompleted' },
        condition: { eventFieldEquals: { agent: agentType } },
        actions: [{ type: 'spawn_fallback_agent', id: 'agent', agentType, retry: { maxAttempts: 1 } }, wake],
      })),
    },
    config: {
      agents: {
        fails: { command: ['sh', '-c', 'echo out of credit; exit 1'], fallbacks: ['fails-too'] },
        'fails-too': { command: ['sh', '-c', 'echo no luck; exit 3'] },
        works: { command: ['false'], fallbacks: ['true'] },
        true: { command: ['true'] },
      },
      teams: { ops: { members: [{ name: 'ada', email: 'ada@example.com' }] } },
    },
  });
  const [bad = '', good = ''] = await mesh.report({ payload: { agent: 'fails' } }, { payload: { agent: 'works' } });

  const [failed, executed] = await Promise.all([failedResult(mesh.result('fails', bad)), mesh.result('works', good)]);

  expect(failed.actions).toMatchObject([
    {
      status: 'failed',
      agent: { launcher: 'fails-too', outcome: 'failed', outputTail: expect.stringContaining('no luck') as string },
      launches: [
        {
          launcher: 'fails',
          status: 'failed',
          reason: 'Fallback agent ended with exit code 1',
          lastWords: 'out of credit',
        },
        { launcher: 'fails-too', status: 'failed', reason: 'Fallback agent ended with exit code 3' },
      ],
    },
    { status: 'executed' },
  ]);
  expect(failed.actions[0]?.launches?.[1]).not.toHaveProperty('lastWords');
  expect(executed).toMatchObject({
    outcome: 'executed',
    actions: [
      { agent: { launcher: 'true', outcome: 'success' }, launches: [{ status: 'failed' }, { status: 'launched' }] },
      { status: 'skipped', reason: 'runs only if agent fails, and agent was executed' },
    ],
  });
  expect(mail.mails).toHaveLength(1);
  expect(mailParts(mail.mails[0]?.source ?? '').text).toContain('exit code 3');
});

test('one recipient that is refused delays and prevents nobody else', async () => {
  mail.refuse.set('ada@example.com', 550);
  const { report, result } = await meshWith([{ type: 'notify_team', id: 'tell', teamName: 'ops', retry: quick }]);
  const [id = ''] = await report({});

  const { actions } = await failedResult(result('r', id));

  expect(actions[0]?.reason).toMatch(/^not delivered to ada by email: .*550/);
  expect(mail.mails.map(({ to }) => to)).toEqual([['bob@example.com']]);
});

test('a mail server that asks to try later is tried again, with the same Message-ID', async () => {
  mail.refuse.set('ada@example.com', 451);
  const { report, result } = await meshWith([
    { type: 'notify_team', id: 'tell', teamName: 'ops', recipients: ['ada'], retry: { ...quick, maxAttempts: 100 } },
  ]);
  const [id = ''] = await report({});
  await eventually('running notification', async () =>
    (await mesh?.remediation('r', id).describe()) ? true : undefined,
  );
  mail.refuse.clear();

  const { actions } = await result('r', id);

  expect(actions).toMatchObject([{ status: 'executed' }]);
  expect(mail.mails).toHaveLength(1);
});

test.each([
  ['no team', {}, 'No team context is available for notify_team action'],
  ['an unknown team', { teamName: 'ghosts' }, 'Team file not found for team ghosts'],
  ['nobody left', { teamName: 'ops', recipients: ['carol'] }, 'No eligible recipients for notify_team action'],
  ['nobody with an address', { teamName: 'silent' }, 'No eligible recipients for notify_team action'],
])('notify_team with %s is skipped, with the reason of the rule format', async (_name, action, reason) => {
  const { report, result } = await meshWith([{ type: 'notify_team', ...action }]);
  const [id = ''] = await report({});

  const { outcome, actions } = await result('r', id);

  expect(outcome).toBe('skipped');
  expect(actions).toMatchObject([{ status: 'skipped', reason }]);
});

test('the record of an unknown team says in which file teams are', async () => {
  const { report, result } = await meshWith([{ type: 'notify_team', teamName: 'ghosts' }]);
  const [id = ''] = await report({});

  const { actions } = await result('r', id);

  expect(actions[0]?.detail).toMatch(/^teams are those under "teams" in \/.*\/mesh\.yaml$/);
});

test('without a launcher, a bridge and a mail server: failed, skipped, and mails as files', async () => {
  mesh = await startTestMesh({
    rules: {
      rules: [
        {
          id: 'r',
          trigger: { event: 'TaskCompleted' },
          actions: [
            { type: 'spawn_fallback_agent' },
            { type: 'warm_remote_capacity' },
            { type: 'notify_team', teamName: 'ops' },
          ],
        },
      ],
    },
    config: { teams: { ops: { members: [{ name: 'ada', email: 'ada@example.com' }] } } },
  });
  const [id = ''] = await mesh.report({});

  const { actions } = await failedResult(mesh.result('r', id));

  expect(actions).toMatchObject([
    {
      action: 'spawn_fallback_agent:0',
      status: 'failed',
      reason: 'No fallback agent launcher is registered in runtime context',
    },
    { status: 'skipped', reason: 'Bridge is not active; warm_remote_capacity is a safe no-op' },
    {
      status: 'executed',
      deliveries: [{ recipient: 'ada', status: 'written' }],
    },
  ]);
  const mails = join(mesh.folder, 'home', 'mail');
  const [file = ''] = await readdir(mails);
  expect(await readFile(join(mails, file), 'utf8')).toContain('To: ada <ada@example.com>');
});

test(
  'an action that keeps retrying holds up the next one for 30 seconds, and no longer',
  { timeout: 60_000 },
  async () => {
    bridge.script.push(...Array.from({ length: 200 }, () => ({ status: 503 })));
    const { report, remediation, result } = await meshWith([
      {
        type: 'warm_remote_capacity',
        id: 'warm',
        retry: { maxAttempts: 1000, initialIntervalMs: 500, maxIntervalMs: 500 },
      },
      { type: 'notify_team', id: 'tell', teamName: 'ops' },
    ]);
    const startedAt = Date.now();
    const [id = ''] = await report({});

    await eventually('mail', () => (mail.mails.length > 0 ? true : undefined), 45_000);
    const waitedMs = Date.now() - startedAt;
    bridge.script.length = 0;
    const { actions } = await result('r', id);

    expect(waitedMs).toBeGreaterThanOrEqual(30_000);
    expect(waitedMs).toBeLessThan(40_000);
    expect(mailParts(mail.mails[0]?.source ?? '').text).toContain('warm (warm_remote_capacity): still running');
    expect(actions).toMatchObject([
      { action: 'warm', status: 'executed' },
      { action: 'tell', status: 'executed' },
    ]);
    expect((await remediation('r', id).describe()).status.name).toBe('COMPLETED');
  },
);

test(
  'a message that its receiver holds up does not hold up the page to another team',
  { timeout: 60_000 },
  async () => {
    mail.refuse.set('ada@example.com', 451);
    const { report, result } = await meshWith([
      { type: 'notify_team', id: 'tell', teamName: 'ops', recipients: ['ada'] },
      { type: 'warm_remote_capacity', id: 'warm' },
    ]);
    const startedAt = Date.now();
    const [id = ''] = await report({});

    await eventually('the next action', () => (bridge.requests.length > 0 ? true : undefined), 25_000);
    const waitedMs = Date.now() - startedAt;
    mail.refuse.clear();
    const { actions } = await result('r', id);

    expect(waitedMs).toBeGreaterThanOrEqual(5_000);
    expect(waitedMs).toBeLessThan(15_000);
    expect(actions).toMatchObject([{ status: 'executed' }, { status: 'executed' }]);
  },
);
