import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createWorkflows } from '#adapters/temporal/create-workflows.js';
import { QUERIES, SIGNALS } from '#contract/names.js';
import type { Notice } from '#contract/notice.js';
import type { RemediationProgress } from '#contract/remediation.js';
import { createLedgers } from '#workflows/watch/ledgers/index.js';
import { saveWatch, type WatchRunInput } from '#workflows/watch/open-watch.js';
import { eventually } from '../support/eventually.js';
import { failedResult } from '../support/failed-result.js';
import { type HttpTarget, startHttpTarget } from '../support/http-target.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';

// What the watch tells others: the team at the end of a cooldown, a receiver that an alert is over, a remediation that its
// agent has ended.

const LAUNCHED = '{"launched":true,"agentId":"agent-7"}';

let mesh: TestMesh | undefined;
let notices: Notice[];
let runtime: HttpTarget;

beforeAll(async () => {
  runtime = await startHttpTarget();
  runtime.answer({ body: LAUNCHED });
});
beforeEach(() => (notices = []));
afterEach(async () => {
  await mesh?.stop();
  mesh = undefined;
});
afterAll(() => runtime.close());

async function start(rule: Record<string, unknown>, watch?: Partial<WatchRunInput>): Promise<TestMesh> {
  mesh = await startTestMesh({
    ...(watch && { watch }),
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
        await activities.startNotices(started);
        // By now they are there for whoever looks.
        notices.push(...started);
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

test.each([
  ['success', 'skipped'],
  ['failed', 'executed'],
] as const)(
  'the digest of a rule that tells people only on %s is %s where its agent has failed',
  async (onlyIf, outcome) => {
    runtime.answer({ status: 400, body: '{"launched":false,"reason":"no room"}' });
    onTestFinished(() => runtime.answer({ body: LAUNCHED }));
    const tell = { type: 'notify_team', id: 'wake', onlyIf };
    const started = await start({ cooldownMs: 60_000, actions: [{ type: 'spawn_fallback_agent', id: 'try' }, tell] });
    const { mesh: sdk, tenant, client, result } = started;
    await reportBroken(started, 'e-1', 's-1');
    await failedResult(result('r', 'e-1'));
    await reportBroken(started, 'e-2', 's-1');

    await sdk.rearm(tenant, 'r');
    const notice = await eventually('the digest', () => notices[0]);

    expect(await client.workflow.getHandle(notice.id).result()).toMatchObject({
      outcome,
      ...(outcome === 'skipped' && { reason: 'rule r told nobody when it fired' }),
    });
  },
);

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

test('an event that finds a cooldown just over brings out what that kept quiet, and good news that it held', async () => {
  // A worker that was away for the whole of it: then no timer has rung yet when the event is judged.
  const { tenant, report, judged, watch, status, stopWorker, startWorker } = await start({ cooldownMs: 5_000 });
  const at = Date.now();
  await report(
    { id: 'e-1', event: 'Broke', session: 's-1', occurredAt: at, payload: { tool_name: 'Bash' } },
    { id: 'e-2', event: 'Broke', session: 's-2' },
  );
  await judged('e-2');
  const subject = { tenant, rule: 'r', remediation: `remediation/${tenant}/r/e-1`, root: 'e-1', session: 's-1' };
  const receiver = { team: 'ops', channel: 'pager', key: 'r/s-1', openedAt: at, occurredAt: at };
  await watch().signal(SIGNALS.alerts, [{ ...subject, ...receiver, tool: 'Bash', resolveOn: 'tool' }]);
  const works = { event: 'PostToolUse', outcome: 'success' as const, payload: { tool_name: 'Bash' } };
  await report({ ...works, id: 'ok', session: 's-1', occurredAt: at + 1 });
  await judged('ok');
  expect((await status()).alerts).toMatchObject([{ worksAgain: true }]);
  const overAt = Date.now() + 5_000;
  await stopWorker();
  await report({ id: 'e-3', event: 'Broke' });
  await eventually('the end of the cooldown', () => (Date.now() >= overAt ? true : undefined));
  await startWorker();

  expect(await judged('e-3')).toEqual(['r/notify_team:0 fire']);
  await eventually('the digest', () => notices[0]);
  expect(notices).toMatchObject([
    { kind: 'digest', suppressed: { events: 1, sessions: ['s-2'] } },
    // The cooldown that the event has begun holds nothing that was over before.
    { kind: 'resolve', alert: { session: 's-1' }, by: { eventId: 'ok' } },
  ]);
});

test('a success of the same tool in the same session closes an alert, once', async () => {
  const { tenant, report, judged, watch, status } = await start({ cooldownMs: 0 });
  await report({ id: 'e-1', event: 'Broke' });
  await judged('e-1');
  const subject = { tenant, rule: 'r', remediation: `remediation/${tenant}/r/e-1`, root: 'e-1', session: 's-1' };
  const receiver = { team: 'ops', channel: 'pager', key: 'r/s-1', openedAt: Date.now() };
  await watch().signal(SIGNALS.alerts, [{ ...subject, ...receiver, tool: 'Bash', resolveOn: 'tool' }]);
  const works = { event: 'PostToolUse', outcome: 'success' as const, payload: { tool_name: 'Bash' } };

  await report({ ...works, id: 'elsewhere', session: 's-2' });
  await judged('elsewhere');
  expect((await status()).alerts).toMatchObject([{ rule: 'r', channel: 'pager', tool: 'Bash' }]);
  await report({ ...works, id: 'ok-1', session: 's-1' }, { ...works, id: 'ok-2', session: 's-1' });

  await eventually('the end of the alert', () => notices[0]);
  await judged('ok-2');
  expect(notices).toMatchObject([
    { kind: 'resolve', rule: 'r', alert: receiver, by: { event: 'PostToolUse', eventId: 'ok-1' } },
  ]);
  expect((await status()).alerts).toEqual([]);
});

test('a task that fails and works again by a reporter that names no session closes its alert', async () => {
  const { tenant, report, judged, watch, status } = await start({ cooldownMs: 0 });
  const payload = { task_id: 'T-9' };
  await report({ id: 'e-1', event: 'Broke', payload });
  await judged('e-1');
  const subject = { tenant, rule: 'r', remediation: `remediation/${tenant}/r/e-1`, root: 'e-1', task: 'T-9' };
  const receiver = { team: 'ops', channel: 'pager', key: 'r/T-9', openedAt: Date.now() };
  await watch().signal(SIGNALS.alerts, [{ ...subject, ...receiver, resolveOn: 'task' }]);
  const works = { event: 'TaskCompleted', outcome: 'success' as const, payload };

  await report({ ...works, id: 'elsewhere', session: 's-2' });
  await judged('elsewhere');
  expect((await status()).alerts).toMatchObject([{ task: 'T-9' }]);
  await report({ ...works, id: 'ok' });

  await eventually('the end of the alert', () => notices[0]);
  expect(notices).toMatchObject([{ kind: 'resolve', alert: { task: 'T-9' }, by: { eventId: 'ok' } }]);
});

test('a success that came before the delivery told of the alert closes it', async () => {
  const { tenant, report, judged, watch, status } = await start({ cooldownMs: 0 });
  const occurredAt = Date.now();
  const payload = { tool_name: 'Bash' };
  await report({ id: 'e-1', event: 'Broke', session: 's-1', occurredAt, payload });
  const works = { event: 'PostToolUse', outcome: 'success' as const, payload };
  await report({ ...works, id: 'ok-1', session: 's-1', occurredAt: occurredAt + 1 });
  await judged('ok-1');

  const subject = { tenant, rule: 'r', remediation: `remediation/${tenant}/r/e-1`, root: 'e-1', session: 's-1' };
  const receiver = { team: 'ops', channel: 'pager', key: 'r/s-1', openedAt: Date.now() };
  const alert = { ...subject, ...receiver, tool: 'Bash', resolveOn: 'tool', occurredAt };
  await watch().signal(SIGNALS.alerts, [alert]);

  await eventually('the end of the alert', () => notices[0]);
  expect(notices).toMatchObject([{ kind: 'resolve', alert, by: { eventId: 'ok-1' } }]);
  expect((await status()).alerts).toEqual([]);
});

test('an alert is closed when the cooldown that began with it ends, and not while the same has failed again', async () => {
  const started = await start({ cooldownMs: 60_000, cooldownBy: ['session'] });
  const { tenant, report, judged, watch, status, mesh: sdk, taskQueue, client } = started;
  const broke = { event: 'Broke', payload: { tool_name: 'Bash' } };
  const works = { event: 'PostToolUse', outcome: 'success' as const, payload: { tool_name: 'Bash' } };
  const at = Date.now();
  const inSession = (session: string) => ({
    ...{ tenant, rule: 'r', remediation: `remediation/${tenant}/r/e-${session}`, root: `e-${session}`, session },
    ...{ team: 'ops', channel: 'pager', key: `r/${session}`, openedAt: at, occurredAt: at },
    ...{ tool: 'Bash', resolveOn: 'tool' },
  });
  for (const session of ['s-1', 's-2']) await report({ ...broke, id: `e-${session}`, session, occurredAt: at });
  await judged('e-s-2');
  await watch().signal(SIGNALS.alerts, [inSession('s-1'), inSession('s-2')]);

  for (const session of ['s-1', 's-2']) await report({ ...works, id: `ok-${session}`, session, occurredAt: at + 1 });
  await report({ ...broke, id: 'again', session: 's-2', occurredAt: at + 2 });
  expect(await judged('again')).toEqual([expect.stringContaining('cooldown')]);
  expect((await status()).alerts?.map(({ worksAgain }) => worksAgain)).toEqual([true, undefined]);
  expect(notices).toEqual([]);

  await sdk.rearm(tenant, 'r');
  await eventually('good news', () => notices.find(({ kind }) => kind === 'resolve'));
  const ended = notices.filter(({ kind }) => kind === 'resolve');
  expect(ended).toMatchObject([{ alert: { session: 's-1' }, by: { eventId: 'ok-s-1' } }]);

  const { isAlertOpen } = createWorkflows(client, taskQueue);
  const alert = (session: string) => ({ team: 'ops', channel: 'pager', key: `r/${session}` });
  expect([await isAlertOpen(tenant, alert('s-1')), await isAlertOpen(tenant, alert('s-2'))]).toEqual([false, true]);
});

test('what works while the tenant is paused is told when it is resumed, unless it has failed again by then', async () => {
  const { tenant, report, judged, watch, status, mesh: sdk, stopWorker, startWorker } = await start({ cooldownMs: 0 });
  const occurredAt = Date.now();
  const sessions = ['s-1', 's-2', 's-3', 's-4'];
  const payload = { tool_name: 'Bash' };
  for (const session of sessions) await report({ id: `e-${session}`, event: 'Broke', session, occurredAt, payload });
  expect(await judged('e-s-4')).toEqual(['r/notify_team:0 fire']);
  const inSession = (session: string) => ({
    ...{ tenant, rule: 'r', remediation: `remediation/${tenant}/r/e-${session}`, root: `e-${session}`, session },
    ...{ team: 'ops', channel: 'pager', key: `r/${session}`, openedAt: Date.now() },
    ...{ tool: 'Bash', resolveOn: 'tool', occurredAt },
  });
  await watch().signal(SIGNALS.alerts, [inSession('s-1'), inSession('s-3'), inSession('s-4')]);

  await sdk.pause(tenant, 'deploy');
  const works = (session: string) => ({
    ...{ id: `ok-${session}`, event: 'PostToolUse', outcome: 'success' as const, session, payload },
    occurredAt: occurredAt + 1,
  });
  const again = (session: string) => ({
    ...{ id: `again-${session}`, event: 'Broke', session, payload, occurredAt: occurredAt + 2 },
  });
  await report(...sessions.map(works), again('s-3'));
  expect(await judged('again-s-3')).toEqual(['paused']);
  await watch().signal(SIGNALS.alerts, [inSession('s-2')]);
  const worksAgain = async () => (await status()).alerts?.map((one) => one.worksAgain === true);
  await eventually('what is told later', async () => ((await worksAgain())?.length === 4 ? true : undefined));
  expect(await worksAgain()).toEqual([true, false, true, true]);
  await stopWorker();
  // Judged after the resume, as what was reported before it.
  await report(again('s-4'));
  await sdk.resume(tenant);
  expect(notices).toEqual([]);

  await startWorker();

  await eventually('both ends', () => notices[1]);
  expect(notices).toMatchObject([
    { kind: 'resolve', alert: { session: 's-1' }, by: { event: 'PostToolUse', eventId: 'ok-s-1' } },
    { kind: 'resolve', alert: { session: 's-2' }, by: { event: 'PostToolUse', eventId: 'ok-s-2' } },
  ]);
  expect(await judged('again-s-4')).toEqual(['paused']);
  expect(await worksAgain()).toEqual([false, false]);
});

test('good news whose cooldown had to go at continue-as-new is told by the next run, which waits for nothing', async () => {
  const by = { event: 'PostToolUse', eventId: 'ok' };
  const worksAgain = { by, occurredAt: Date.now(), at: Date.now() };
  const place = { team: 'ops', channel: 'pager', key: 'k', openedAt: Date.now(), occurredAt: Date.now() };
  const saved = saveWatch(createLedgers('default', Date.now()), []);
  const about = { tenant: 'default', rule: 'r', remediation: '', root: 'e', tool: 'Bash', resolveOn: 'tool' as const };

  await start({}, { saved: { ...saved, alerts: { ...saved.alerts, open: [{ ...place, ...about, worksAgain }] } } });

  await eventually('good news', () => notices[0]);
  expect(notices).toMatchObject([{ kind: 'resolve', rule: 'r', by }]);
});

test('what is no event, and is signalled by hand while the tenant is paused, harms nothing', async () => {
  const { tenant, watch, judged, mesh: sdk } = await start({});
  await sdk.pause(tenant, 'deploy');
  const success = { event: 'Stop', outcome: 'success', payload: { tool_name: 'Bash' }, occurredAt: 1 };
  const forms = [{ session: 5 }, { payload: 'x' }, { occurredAt: 'now' }, { lineage: null }, { lineage: { root: 5 } }];

  await watch().signal(SIGNALS.events, [...forms.map((form, index) => ({ ...success, id: `odd-${index}`, ...form }))]);

  for (const index of forms.keys()) expect(await judged(`odd-${index}`)).toEqual(['paused']);
});

/** The watch hears its name before the remediation does, and waits for it under that of its session before. */
function agentIsNamed(of: TestMesh | undefined): Promise<true> {
  return eventually('an agent that is waited for, by its name', async () => {
    const now = await of?.remediation('r', 'e-1').query<RemediationProgress>(QUERIES.progress);
    return now?.actions[0]?.agent?.id === 'agent-7' || undefined;
  });
}

test.each([
  ['its end is reported', false],
  ['its end is reported while the tenant is paused', true],
])('a remediation that waits for its agent goes on when %s', async (_when, isPaused) => {
  const agent = { type: 'spawn_fallback_agent', id: 'agent', await: 'finished', timeoutMs: 60_000 };
  const { tenant, report, result, status, mesh: sdk } = await start({ actions: [agent] });
  await report({ id: 'e-1', event: 'Broke' });
  await agentIsNamed(mesh);
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
  const { report, result, watch, verdicts } = await start({ actions: [agent] });
  await report({ id: 'e-1', event: 'Broke' });
  await agentIsNamed(mesh);
  await watch().signal(SIGNALS.agents, 'agent-7');
  await watch().signal(SIGNALS.alerts, [{}]);

  await report({ event: 'StopFailure', agent: 'agent-7' });

  expect(await result('r', 'e-1').catch((error: unknown) => error)).toBeInstanceOf(Error);
  expect((await verdicts('?')).map(({ event, ...verdict }) => [event, 'reason' in verdict && verdict.reason])).toEqual([
    ['signal agents', expect.stringContaining('expected a list of agents')],
    ['signal alerts', expect.stringContaining('expected a list of alerts')],
  ]);
});
