import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { SIGNALS } from '../../contract/names.js';
import type { Notice } from '../../contract/notice.js';
import { eventually } from '../support/eventually.js';
import { type HttpTarget, startHttpTarget } from '../support/http-target.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';

// What the watch tells others: the team at the end of a cooldown, a receiver that an incident is over, a remediation that its
// agent has ended.

let mesh: TestMesh | undefined;
let notices: Notice[];
let runtime: HttpTarget;

beforeAll(async () => {
  runtime = await startHttpTarget();
  runtime.answer({ body: '{"launched":true,"agentId":"agent-7"}' });
});
beforeEach(() => (notices = []));
afterEach(async () => {
  await mesh?.stop();
  mesh = undefined;
});
afterAll(() => runtime.close());

async function start(rule: Record<string, unknown>): Promise<TestMesh> {
  mesh = await startTestMesh({
    rules: {
      defaultDedupWindowMs: 0,
      rules: [{ id: 'r', trigger: { event: 'Broke' }, actions: [{ type: 'notify_team' }], ...rule }],
    },
    config: {
      agents: { default: { http: { url: runtime.url } } },
      outbound: { privateHosts: ['127.0.0.1'] },
      teams: { ops: { members: [{ name: 'ana', email: 'ana@example.com' }] } },
      notify: { defaultTeam: 'ops', digest: true },
    },
    wrap: (activities) => ({
      ...activities,
      async startNotices(started) {
        notices.push(...started);
        await activities.startNotices(started);
      },
    }),
  });
  return mesh;
}

async function reportBroken({ report, judged }: TestMesh, id: string, session: string): Promise<void> {
  await report({ id, event: 'Broke', session });
  await judged(id);
}

function cooldownsOver({ status }: TestMesh): Promise<true> {
  return eventually('end of every cooldown', async () =>
    (await status()).guards.live.cooldowns === 0 ? true : undefined,
  );
}

test('a cooldown that kept something quiet ends in one message; one that did not, in none', async () => {
  const started = await start({ cooldownMs: 1_500, cooldownBy: ['payload.area'] });
  const { report, judged, client, tenant } = started;
  const area = (id: string, name: string, session: string) => ({
    ...{ id, event: 'Broke', session },
    payload: { area: name },
  });
  await report(
    area('e-1', 'busy', 's-1'),
    area('e-2', 'calm', 's-1'),
    ...[area('e-3', 'busy', 's-2'), area('e-4', 'busy', 's-3'), area('e-5', 'busy', 's-2')],
  );

  await judged('e-5');
  await cooldownsOver(started);
  await eventually('the digest', () => notices[0]);

  expect(notices).toMatchObject([
    {
      kind: 'digest',
      tenant,
      rule: 'r',
      label: 'payload.area=busy',
      suppressed: { events: 3, sessions: ['s-2', 's-3'] },
    },
  ]);
  const { type, searchAttributes } = await client.workflow.getHandle(notices[0]?.id ?? '').describe();
  expect([type, searchAttributes]).toMatchObject(['notice', { MeshTenant: [tenant], MeshRule: ['r'] }]);
});

test('a cooldown that an operator ends leaves its message too, though not while the tenant is paused', async () => {
  const started = await start({ cooldownMs: 60_000 });
  const { mesh: sdk, tenant, stopWorker, startWorker } = started;
  await reportBroken(started, 'e-1', 's-1');
  await reportBroken(started, 'e-2', 's-2');

  await sdk.pause(tenant, 'deploy');
  await sdk.rearm(tenant, 'r');
  await cooldownsOver(started);
  await stopWorker();
  await startWorker();
  await reportBroken(started, 'e-3', 's-3');
  expect(notices).toEqual([]);

  await sdk.resume(tenant);

  await eventually('the digest', () => notices[0]);
  expect(notices).toMatchObject([{ kind: 'digest', suppressed: { events: 1, sessions: ['s-2'] } }]);
});

test('an event that finds a cooldown just over brings out what that kept quiet', async () => {
  // A worker that was away for the whole of it: then no timer has rung yet when the event is judged.
  const { report, judged, stopWorker, startWorker } = await start({ cooldownMs: 2_000 });
  await report({ id: 'e-1', event: 'Broke', session: 's-1' }, { id: 'e-2', event: 'Broke', session: 's-2' });
  await judged('e-2');
  const overAt = Date.now() + 2_000;
  await stopWorker();
  await report({ id: 'e-3', event: 'Broke' });
  await eventually('the end of the cooldown', () => (Date.now() >= overAt ? true : undefined));
  await startWorker();

  expect(await judged('e-3')).toEqual(['r/notify_team:0 fire']);
  await eventually('the digest', () => notices[0]);
  expect(notices).toMatchObject([{ suppressed: { events: 1, sessions: ['s-2'] } }]);
});

test('a success of the same tool in the same session ends an incident, once', async () => {
  const { tenant, report, judged, watch, status } = await start({});
  await report({ id: 'e-1', event: 'Broke' });
  await judged('e-1');
  const subject = { tenant, rule: 'r', remediation: `remediation/${tenant}/r/e-1`, root: 'e-1', session: 's-1' };
  const receiver = { team: 'ops', channel: 'pager', key: 'r/s-1', openedAt: Date.now() };
  await watch().signal(SIGNALS.incidents, [{ ...subject, ...receiver, tool: 'Bash', resolveOn: ['tool'] }]);
  const works = { event: 'PostToolUse', outcome: 'success' as const, payload: { tool_name: 'Bash' } };

  await report({ ...works, id: 'elsewhere', session: 's-2' });
  await judged('elsewhere');
  expect((await status()).incidents).toMatchObject([{ rule: 'r', channel: 'pager', tool: 'Bash' }]);
  await report({ ...works, id: 'ok-1', session: 's-1' }, { ...works, id: 'ok-2', session: 's-1' });

  await eventually('the end of the incident', () => notices[0]);
  await judged('ok-2');
  expect(notices).toMatchObject([
    { kind: 'resolve', rule: 'r', incident: receiver, by: { event: 'PostToolUse', eventId: 'ok-1' } },
  ]);
  expect((await status()).incidents).toEqual([]);
});

test('a success that came before the delivery told of the incident ends it', async () => {
  const { tenant, report, judged, watch, status } = await start({});
  const occurredAt = Date.now();
  await report({ id: 'e-1', event: 'Broke', session: 's-1', occurredAt });
  const works = { event: 'PostToolUse', outcome: 'success' as const, payload: { tool_name: 'Bash' } };
  await report({ ...works, id: 'ok-1', session: 's-1', occurredAt: occurredAt + 1 });
  await judged('ok-1');

  const subject = { tenant, rule: 'r', remediation: `remediation/${tenant}/r/e-1`, root: 'e-1', session: 's-1' };
  const receiver = { team: 'ops', channel: 'pager', key: 'r/s-1', openedAt: Date.now() };
  const incident = { ...subject, ...receiver, tool: 'Bash', resolveOn: ['tool'], occurredAt };
  await watch().signal(SIGNALS.incidents, [incident]);

  await eventually('the end of the incident', () => notices[0]);
  expect(notices).toMatchObject([{ kind: 'resolve', incident, by: { eventId: 'ok-1' } }]);
  expect((await status()).incidents).toEqual([]);
});

test.each([
  ['its end is reported', false],
  ['its end is reported while the tenant is paused', true],
])('a remediation that waits for its agent goes on when %s', async (_when, isPaused) => {
  const agent = { type: 'spawn_fallback_agent', id: 'agent', await: 'finished', timeoutMs: 60_000 };
  const { tenant, report, result, status, mesh: sdk } = await start({ actions: [agent] });
  await report({ id: 'e-1', event: 'Broke' });
  await eventually('an agent that is waited for', async () => ((await status()).agents?.awaited ? true : undefined));
  if (isPaused) await sdk.pause(tenant, 'deploy');

  await report({ event: 'run.finished', outcome: 'success', agent: 'agent-7', payload: { output: 'all mended' } });

  const { outcome, actions } = await result('r', 'e-1');
  expect(outcome).toBe('executed');
  expect(actions[0]?.agent).toMatchObject({
    id: 'agent-7',
    outcome: 'success',
    // What is paused is not looked at, and so not taken over either.
    ...(!isPaused && { outputTail: 'all mended' }),
  });
  expect((await status()).agents).toMatchObject({ awaited: 0 });
});

test('an agent that has failed fails its action; signals that are none are answered among the verdicts', async () => {
  const agent = { type: 'spawn_fallback_agent', id: 'agent', await: 'finished', timeoutMs: 60_000 };
  const { report, result, watch, status, verdicts } = await start({ actions: [agent] });
  await report({ id: 'e-1', event: 'Broke' });
  await eventually('an agent that is waited for', async () => ((await status()).agents?.awaited ? true : undefined));
  await watch().signal(SIGNALS.agents, 'agent-7');
  await watch().signal(SIGNALS.incidents, [{}]);

  await report({ event: 'StopFailure', agent: 'agent-7' });

  expect(await result('r', 'e-1').catch((error: unknown) => error)).toBeInstanceOf(Error);
  expect((await verdicts('?')).map(({ event, ...verdict }) => [event, 'reason' in verdict && verdict.reason])).toEqual([
    ['signal agents', expect.stringContaining('expected a list of agents')],
    ['signal incidents', expect.stringContaining('expected a list of incidents')],
  ]);
});
