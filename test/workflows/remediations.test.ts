import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RemediationPage, RemediationSummary } from '#client/mesh.js';
import { inputOf, startAgain } from '#client/past-runs.js';
import { remediationId } from '#contract/ids.js';
import { writeAgent } from '../support/agent-scripts.js';
import { type BridgeServer, startBridgeServer } from '../support/bridge-server.js';
import { eventually } from '../support/eventually.js';
import { failedResult } from '../support/failed-result.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';

const WARM = { type: 'warm_remote_capacity', id: 'warm', retry: { maxAttempts: 1 } };
const TELL = { type: 'notify_team', id: 'tell', teamName: 'ops' };
/** What follows waits for its end. */
const AGENT = { type: 'spawn_fallback_agent', id: 'agent', await: 'finished', retry: { maxAttempts: 1 } };

let mail: MailServer;
let bridge: BridgeServer;
let folder: string;
let mesh: TestMesh | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mesh-remediations-'));
  [mail, bridge] = await Promise.all([startMailServer(), startBridgeServer()]);
});

afterEach(async () => {
  // First, so that a request that hangs does not keep the worker.
  await Promise.all([mail.close(), bridge.close()]);
  await mesh?.stop();
  mesh = undefined;
  await rm(folder, { recursive: true, force: true });
});

describe('retry', () => {
  test('runs the failed action only, with the same effect key, under the same id', async () => {
    bridge.script.push({ status: 403 });
    const { id, sdk, test } = await failedRun([WARM, TELL]);
    const before = await sdk.remediation(id);

    const retried = await sdk.retry(id);
    const result = await test.client.workflow.getHandle(id, retried.runId).result();

    expect(retried.actions).toEqual(['warm']);
    expect(retried.runId).not.toBe(before.runId);
    expect(result).toMatchObject({
      outcome: 'executed',
      actions: [
        { action: 'warm', status: 'executed' },
        { action: 'tell', status: 'executed' },
      ],
    });
    expect(mail.mails).toHaveLength(2);
    expect(bridge.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([`${id}/warm`, `${id}/warm`]);
    expect(await sdk.remediation(id)).toMatchObject({ id, runId: retried.runId, outcome: 'executed', rule: 'r' });
  });

  test('keeps what people read about it in the Temporal UI', async () => {
    bridge.script.push({ status: 403 });
    const { id, sdk, test } = await failedRun([WARM]);
    const before = await test.client.workflow.getHandle(id).describe();
    const summary = await before.staticSummary();

    const { runId } = await sdk.retry(id);

    const after = await test.client.workflow.getHandle(id, runId).describe();
    expect(summary).toContain('r: TaskCompleted failed');
    expect(await after.staticSummary()).toBe(summary);
    expect(await after.staticDetails()).toBe(await before.staticDetails());
  });

  test('may fail again, and be retried again', async () => {
    bridge.script.push({ status: 403 }, { status: 403 });
    const { id, sdk, test } = await failedRun([WARM, TELL]);

    const first = await sdk.retry(id);
    await failedResult(test.client.workflow.getHandle(id, first.runId).result());
    const second = await sdk.retry(id);

    expect(await test.client.workflow.getHandle(id, second.runId).result()).toMatchObject({ outcome: 'executed' });
    expect(bridge.requests).toHaveLength(3);
    expect(mail.mails).toHaveLength(2);
  });

  test('of a failed one, asked twice at the same moment, is done once', async () => {
    bridge.script.push({ status: 403 }, 'hang');
    const { id, sdk } = await failedRun([WARM]);

    const answers = await Promise.allSettled([sdk.retry(id), sdk.retry(id)]);

    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = answers.find((answer) => answer.status === 'rejected');
    // The one that is second may find the first one running already.
    const why = expect.stringMatching(/ (was retried meanwhile|is still running)$/) as string;
    expect(refused?.reason).toMatchObject({ code: 'conflict', message: why });
    await eventually('second try', () => (bridge.requests.length === 2 ? true : undefined));
  });

  test('is refused when another retry came first, even one that has ended already', async () => {
    bridge.script.push({ status: 403 }, { status: 403 });
    const { id, sdk, test } = await failedRun([WARM, TELL]);
    const before = await test.client.workflow.getHandle(id).describe();
    const { runId } = await sdk.retry(id);
    await failedResult(test.client.workflow.getHandle(id, runId).result());

    const late = startAgain(test.client, before, await inputOf(test.client, before));

    await expect(late).rejects.toMatchObject({ code: 'conflict', message: `${id} was retried meanwhile` });
    expect((await sdk.remediation(id)).runId).toBe(runId);
  });

  test('runs again what an abort ended, and what it kept from starting', async () => {
    const { id, sdk, test, runsFile } = await runningAgent([TELL]);
    await sdk.abort(id);
    await test.client.workflow.getHandle(id).result();

    const [won, lost] = await Promise.allSettled([sdk.retry(id), sdk.retry(id)]).then((both) =>
      both.sort((one) => (one.status === 'fulfilled' ? -1 : 1)),
    );

    expect(won).toMatchObject({ status: 'fulfilled', value: { actions: ['agent', 'tell'] } });
    expect(lost).toMatchObject({ status: 'rejected', reason: { code: 'conflict' } });
    await eventually('second agent', async () => ((await agentsIn(runsFile)).length === 2 ? true : undefined));
    await sdk.abort(id);
    await test.client.workflow.getHandle(id).result();
  });

  test('of a notification delivers only what was not delivered', async () => {
    mail.refuse.set('bob@example.com', 550);
    const { id, sdk, test } = await failedRun([TELL]);
    mail.refuse.clear();

    const { runId, actions } = await sdk.retry(id);
    const result = await test.client.workflow.getHandle(id, runId).result();

    expect(actions).toEqual(['tell']);
    expect(mail.mails.map(({ to }) => to)).toEqual([['ada@example.com'], ['bob@example.com']]);
    expect(result).toMatchObject({
      outcome: 'executed',
      actions: [
        {
          deliveries: [
            { delivery: 'email/ada', status: 'delivered' },
            { delivery: 'email/bob', status: 'delivered' },
          ],
        },
      ],
    });
  });

  test('asks an action anew that was skipped because of how the one before had ended', async () => {
    bridge.script.push({ status: 403 });
    const { id, sdk, test } = await failedRun([WARM, { ...TELL, onlyIf: 'success' }]);
    expect(mail.mails).toHaveLength(0);

    const { runId, actions } = await sdk.retry(id);

    expect(actions).toEqual(['warm', 'tell']);
    expect(await test.client.workflow.getHandle(id, runId).result()).toMatchObject({ outcome: 'executed' });
    expect(mail.mails).toHaveLength(2);
  });

  test('of one that was terminated runs what it had not done', async () => {
    bridge.script.push('hang');
    const test = await meshWith([TELL, WARM]);
    const id = await startedRun(test);
    await eventually('request', () => (bridge.requests.length === 1 ? true : undefined));
    await test.client.workflow.getHandle(id).terminate('by a test');
    await eventually('end', async () => (await outcomeOf(test, id)) === 'terminated' || undefined);

    const { runId, actions } = await test.mesh.retry(id);

    expect(actions).toEqual(['warm']);
    expect(await test.client.workflow.getHandle(id, runId).result()).toMatchObject({ outcome: 'executed' });
    expect(mail.mails).toHaveLength(2);
  });

  test('is refused while it runs, and when nothing is left to do', async () => {
    bridge.script.push('hang');
    const test = await meshWith([WARM], { timeoutMs: 600_000 });
    const running = await startedRun(test);
    // Else the other may be the one that gets no answer.
    await eventually('its request', () => (bridge.requests.length === 1 ? true : undefined));
    const done = await startedRun(test);
    await test.client.workflow.getHandle(done).result();

    await expect(test.mesh.retry(running)).rejects.toMatchObject({
      code: 'conflict',
      message: `${running} is still running`,
    });
    await expect(test.mesh.retry(done)).rejects.toMatchObject({
      code: 'conflict',
      message: `no action of ${done} has failed`,
    });
  });
});

describe('abort', () => {
  test('ends what runs and starts nothing more', async () => {
    const { id, sdk, test } = await runningAgent([TELL]);

    await sdk.abort(id);

    expect(await test.client.workflow.getHandle(id).result()).toMatchObject({ outcome: 'aborted' });
    expect(mail.mails).toHaveLength(0);
  });

  test('is what is seen of it, though an action had given up; that one is listed, and all that is undone is retried', async () => {
    bridge.script.push({ status: 403 });
    const test = await meshWith([WARM, AGENT, TELL]);
    const [id, sdk] = [await startedRun(test), test.mesh];
    // By then the action before it has given up.
    await agentBegins();

    await sdk.abort(id);
    await failedResult(test.client.workflow.getHandle(id).result());

    expect(await sdk.remediation(id)).toMatchObject({
      outcome: 'aborted',
      progress: { outcome: 'aborted', actions: [{ status: 'failed' }, { status: 'aborted' }, { status: 'aborted' }] },
    });
    const [one] = await listed(test, { outcome: 'aborted' }, 1);
    expect(one).toMatchObject({ id });
    const { dead } = await sdk.dead({ tenant: test.tenant });
    expect(dead).toMatchObject([
      { id, failed: [{ action: 'warm', reason: expect.stringContaining('403') as string }] },
    ]);
    expect(dead[0]?.failed).toHaveLength(1);
    const { runId, actions } = await sdk.retry(id);
    expect(actions).toEqual(['warm', 'agent', 'tell']);
    await test.client.workflow.getHandle(id, runId).cancel();
    await test.client.workflow.getHandle(id, runId).result();
  });

  test('leaves nothing in the list of what gave up where nothing had', async () => {
    const { id, sdk, test } = await runningAgent([TELL]);

    await sdk.abort(id);
    await test.client.workflow.getHandle(id).result();
    await listed(test, { outcome: 'aborted' }, 1);

    expect((await sdk.dead({ tenant: test.tenant })).dead).toEqual([]);
  });

  test('waits for a worker where none answers, and that is told', async () => {
    bridge.script.push({ status: 503 });
    const test = await meshWith([{ ...WARM, retry: { initialIntervalMs: 60_000, maxIntervalMs: 60_000 } }]);
    const id = await startedRun(test);
    await eventually('the failed attempt', async () => (await test.mesh.remediation(id)).retrying);
    expect(await test.mesh.remediation(id)).not.toHaveProperty('isAborting');
    await test.stopWorker();

    await test.mesh.abort(id);

    const waiting = await test.mesh.remediation(id);
    expect(waiting).toMatchObject({ outcome: 'running', isAborting: true });
    expect(waiting).not.toHaveProperty('progress');
    await test.startWorker();
    await test.client.workflow.getHandle(id).result();
    const ended = await test.mesh.remediation(id);
    expect(ended).toMatchObject({ outcome: 'aborted' });
    expect(ended).not.toHaveProperty('isAborting');
    expect(bridge.requests).toHaveLength(1);
  });

  test('is refused once it has ended', async () => {
    bridge.script.push({ status: 403 });
    const { id, sdk } = await failedRun([WARM]);

    await expect(sdk.abort(id)).rejects.toMatchObject({
      code: 'conflict',
      message: `${id} has ended already (failed)`,
    });
  });
});

describe('a remediation', () => {
  test('is told whole, with what each action has come to', async () => {
    bridge.script.push({ status: 403 });
    const { id, sdk } = await failedRun([WARM, TELL], { session: 's-1', payload: { tool_name: 'Bash', n: 1 } });

    expect(await sdk.remediation(id)).toMatchObject({
      id,
      rule: 'r',
      outcome: 'failed',
      event: 'TaskCompleted',
      tool: 'Bash',
      session: 's-1',
      depth: 0,
      progress: {
        outcome: 'failed',
        actions: [
          { action: 'warm', status: 'failed', reason: 'Remote warm-up failed: the bridge answered 403', attempts: 1 },
          { action: 'tell', status: 'executed' },
        ],
      },
      reported: { event: 'TaskCompleted', payload: { tool_name: 'Bash', n: 1 } },
      actions: [{ name: 'warm' }, { name: 'tell' }],
    });
  });

  test('that runs tells which action runs and which waits', async () => {
    const { id, sdk, test } = await runningAgent([TELL]);

    const progress = await eventually('agent in the progress', async () => {
      const found = (await sdk.remediation(id)).progress;
      return found?.actions[0]?.agent && found;
    });
    expect(progress).toEqual({
      outcome: 'running',
      actions: [
        {
          action: 'agent',
          type: 'spawn_fallback_agent',
          status: 'running',
          sinceAt: expect.any(Number) as number,
          agent: { launcher: 'default', session: expect.any(String) as string, outcome: 'running' },
        },
        { action: 'tell', type: 'notify_team', status: 'waiting' },
      ],
    });
    const { agentAtWork, actions } = await sdk.remediation(id);
    const { sinceAt = 0 } = agentAtWork ?? {};
    expect(agentAtWork).toEqual({ action: 'agent', sinceAt, untilAt: sinceAt + (actions[0]?.timeoutMs ?? 0) });
    expect(Math.abs(Date.now() - sinceAt)).toBeLessThan(60_000);
    await sdk.abort(id);
    await test.client.workflow.getHandle(id).result();
  });

  test('that tries an action again tells of it, also while no worker answers', async () => {
    bridge.script.push({ status: 503 });
    const test = await meshWith([{ ...WARM, retry: { initialIntervalMs: 60_000, maxIntervalMs: 60_000 } }]);
    const id = await startedRun(test);

    const retrying = await eventually('the failed attempt', async () => (await test.mesh.remediation(id)).retrying);
    await test.stopWorker();
    const withoutWorker = await test.mesh.remediation(id);

    expect(retrying).toEqual([
      {
        action: 'warm',
        doing: 'ask for capacity (warm)',
        state: 'waiting',
        attempt: 2,
        lastError: expect.stringContaining('503') as string,
        nextAt: expect.any(Number) as number,
      },
    ]);
    expect(withoutWorker.retrying).toEqual(retrying);
    expect(withoutWorker).not.toHaveProperty('progress');
  });

  test('that runs is told without its progress while no worker answers', async () => {
    bridge.script.push('hang');
    const test = await meshWith([WARM], { timeoutMs: 600_000 });
    const id = await startedRun(test);
    await eventually('request', () => (bridge.requests.length === 1 ? true : undefined));
    await test.stopWorker();

    const detail = await test.mesh.remediation(id);

    expect(detail).toMatchObject({
      outcome: 'running',
      reported: { event: 'TaskCompleted' },
      actions: [{ name: 'warm' }],
    });
    expect(detail).not.toHaveProperty('progress');
  });

  test.each([
    ['get', (sdk: TestMesh['mesh'], id: string) => sdk.remediation(id)],
    ['abort', (sdk: TestMesh['mesh'], id: string) => sdk.abort(id)],
    ['retry', (sdk: TestMesh['mesh'], id: string) => sdk.retry(id)],
  ])('that is not there, or is none, is not found: %s', async (_name, ask) => {
    const test = await meshWith([WARM]);
    const [eventId = ''] = await test.report({});
    await test.judged(eventId);
    const nowhere = remediationId(test.tenant, 'r', 'nobody-reported-this');

    for (const id of [nowhere, `watch/${test.tenant}`, 'remediation/x', '']) {
      await expect(ask(test.mesh, id)).rejects.toMatchObject({
        code: 'not-found',
        message: `there is no remediation ${id}`,
      });
    }
  });
});

describe('the list of what gave up', () => {
  test('has nothing any more of what was retried with success', async () => {
    bridge.script.push({ status: 403 });
    const { id, sdk, test } = await failedRun([WARM]);
    const dead = async () => (await sdk.dead({ tenant: test.tenant })).dead;
    const [one] = await eventually('it in the list', async () => ((await dead()).length > 0 ? dead() : undefined));
    expect(one).toMatchObject({ id, failed: [{ action: 'warm' }] });

    const { runId } = await sdk.retry(id);
    await test.client.workflow.getHandle(id, runId).result();
    await listed(test, { outcome: 'executed' }, 1);

    expect(await dead()).toEqual([]);
  });
});

describe('a list', () => {
  test('shows the last run of what was retried, and only that', async () => {
    bridge.script.push({ status: 403 });
    const { id, sdk, test } = await failedRun([WARM]);
    await listed(test, { outcome: 'failed' }, 1);
    const { runId } = await sdk.retry(id);
    await test.client.workflow.getHandle(id, runId).result();

    const [only] = await listed(test, { outcome: 'executed' }, 1);

    expect(only).toMatchObject({ id, runId, outcome: 'executed', rule: 'r', tenant: test.tenant });
    expect(await listed(test, {}, 1)).toEqual([only]);
    expect(await listed(test, { outcome: 'failed' }, 0)).toEqual([]);
  });

  test('tells those that run from those that were terminated before they could say so', async () => {
    bridge.script.push('hang', 'hang');
    const test = await meshWith([WARM], { timeoutMs: 600_000 });
    const [ended, running] = [await startedRun(test), await startedRun(test)];
    await test.client.workflow.getHandle(ended).terminate('by a test');
    // Before the other is listed, the one that has ended may be the only one that seems to run.
    await listed(test, {}, 2);

    const [one] = await eventually('one that runs', async () => {
      const found = await list(test, { outcome: 'running' });
      return found.length === 1 ? found : undefined;
    });

    expect(one).toMatchObject({ id: running, outcome: 'running' });
    expect(await listed(test, {}, 2)).toMatchObject([{ id: running }, { id: ended, outcome: 'terminated' }]);
  });

  test('is read page by page, the last to end first, each once', async () => {
    const test = await meshWith([WARM]);
    for (let n = 1; n <= 5; n++) {
      const id = await startedRun(test, { id: `e-${n}` });
      await test.client.workflow.getHandle(id).result();
    }
    await listedAsEnded(test, 5);

    const pages: RemediationPage[] = [];
    do {
      const page = pages.at(-1)?.nextPage;
      pages.push(await test.mesh.remediations({ tenant: test.tenant, limit: 2, ...(page !== undefined && { page }) }));
    } while (pages.at(-1)?.nextPage !== undefined && pages.length < 10);

    expect(pages.flatMap(({ remediations }) => remediations.map(({ eventId }) => eventId))).toEqual([
      'e-5',
      'e-4',
      'e-3',
      'e-2',
      'e-1',
    ]);
    expect(pages.map(({ remediations }) => remediations.length).slice(0, 3)).toEqual([2, 2, 1]);
  });

  test('has what runs first, then what ended last: what ends between two pages is on both', async () => {
    bridge.script.push('hang', 'hang');
    const test = await meshWith([WARM], { timeoutMs: 600_000 });
    const [older, newer] = [await startedRun(test), await startedRun(test)];
    await listed(test, {}, 2);
    const first = await test.mesh.remediations({ tenant: test.tenant, limit: 1 });

    await test.client.workflow.getHandle(newer).terminate('by a test');
    await listedAsEnded(test, 1);

    expect(first.remediations).toMatchObject([{ id: newer, outcome: 'running' }]);
    expect(await list(test, { page: first.nextPage ?? '' })).toMatchObject([
      { id: older, outcome: 'running' },
      { id: newer, outcome: 'terminated' },
    ]);
  });

  test('refuses what is no page, or a page of another list', async () => {
    const test = await meshWith([WARM]);
    for (let n = 1; n <= 2; n++) await test.client.workflow.getHandle(await startedRun(test)).result();
    await listedAsEnded(test, 2);
    const { nextPage = '' } = await test.mesh.remediations({ tenant: test.tenant, limit: 1 });
    expect(nextPage).toMatch(/^[\w-]{10,}$/);

    for (const page of ['no page!', 'bm90IGEgdG9rZW4', '', `${nextPage}x`, nextPage.slice(1)]) {
      await expect(list(test, { page })).rejects.toMatchObject({ code: 'not-found' });
    }
    await expect(list(test, { page: nextPage, rule: 'r' })).rejects.toMatchObject({ code: 'not-found' });
    expect(await list(test, { page: nextPage })).toHaveLength(1);
  });

  test('finds those of one session, tenant and event name', async () => {
    const test = await meshWith([WARM]);
    await startedRun(test, { session: 's-1' });
    await startedRun(test, { session: 's-2' });

    const found = await listed(test, { session: 's-2' }, 1);

    expect(found).toMatchObject([{ session: 's-2', event: 'TaskCompleted' }]);
    expect(await listed(test, {}, 2)).toHaveLength(2);
    const { remediations } = await test.mesh.remediations({ tenant: 'nobody' });
    expect(remediations).toEqual([]);
  });

  test('takes a rule id as text, whatever is in it', async () => {
    const rules = [
      `it's`,
      `a "quoted" one`,
      `back\\slash`,
      `end\\`,
      `x' OR MeshRule != '`,
      `'`,
      `100%_*`,
      'tab\there',
      '☃ 雪',
      'retry',
      'a%',
      'a%25',
      'a%2525',
    ];
    mesh = await startTestMesh({
      rules: {
        defaultCooldownMs: 0,
        rules: rules.map((id) => ({ id, trigger: { event: 'TaskCompleted' }, actions: [{ ...WARM }] })),
      },
      config: bridge.config,
    });
    const test = mesh;
    await test.report({ id: 'e-1' });
    const all = await listed(test, {}, rules.length);
    expect(all.map(({ rule }) => rule).sort()).toEqual([...rules].sort());

    for (const rule of rules) {
      expect({ rule, found: (await list(test, { rule })).map((one) => one.rule) }).toEqual({ rule, found: [rule] });
    }
    expect(await list(test, { rule: `nobody's` })).toEqual([]);
    // And as part of the ids that are asked for a second time.
    expect(await list(test, { outcome: 'failed' })).toEqual([]);
  });
});

async function meshWith(actions: object[], ofAction: object = {}): Promise<TestMesh> {
  mesh = await startTestMesh({
    smtpUrl: mail.url,
    rules: {
      defaultCooldownMs: 0,
      defaultDedupWindowMs: 0,
      rules: [
        { id: 'r', trigger: { event: 'TaskCompleted' }, actions: actions.map((one) => ({ ...one, ...ofAction })) },
      ],
    },
    config: {
      agents: { default: { command: (await writeAgent(folder, 'setInterval(() => {}, 1000);')).command } },
      teams: { ops: { members: ['ada', 'bob'].map((name) => ({ name, email: `${name}@example.com` })) } },
      ...bridge.config,
    },
  });
  return mesh;
}

/** Reports an event, and gives the remediation of rule `r` once it is there. */
async function startedRun(test: TestMesh, event: Parameters<TestMesh['report']>[0] = {}): Promise<string> {
  const [eventId = ''] = await test.report(event);
  await test.judged(eventId);
  const id = remediationId(test.tenant, 'r', eventId);
  await eventually(`start of ${id}`, () => test.client.workflow.getHandle(id).describe());
  return id;
}

async function failedRun(actions: object[], event: Parameters<TestMesh['report']>[0] = {}) {
  const test = await meshWith(actions);
  const id = await startedRun(test, event);
  await failedResult(test.client.workflow.getHandle(id).result());
  return { id, test, sdk: test.mesh };
}

async function runningAgent(more: object[]) {
  const test = await meshWith([AGENT, ...more]);
  const id = await startedRun(test);
  const runsFile = await agentBegins();
  return { id, test, sdk: test.mesh, runsFile };
}

async function agentBegins(): Promise<string> {
  const runsFile = join(folder, 'runs.txt');
  await eventually('agent', async () => ((await agentsIn(runsFile)).length > 0 ? true : undefined));
  return runsFile;
}

async function agentsIn(runsFile: string): Promise<string[]> {
  return (await readFile(runsFile, 'utf8')).split('\n').filter((line) => line !== '');
}

async function outcomeOf(test: TestMesh, id: string): Promise<RemediationSummary['outcome']> {
  return (await test.mesh.remediation(id)).outcome;
}

type Filter = Omit<NonNullable<Parameters<TestMesh['mesh']['remediations']>[0]>, 'tenant'>;

async function list(test: TestMesh, filter: Filter): Promise<RemediationSummary[]> {
  return (await test.mesh.remediations({ tenant: test.tenant, ...filter })).remediations;
}

/** The server lists a little later than it does. */
function listed(test: TestMesh, filter: Filter, count: number): Promise<RemediationSummary[]> {
  return eventually(`list of ${count}`, async () => {
    const found = await list(test, filter);
    return found.length === count ? found : undefined;
  });
}

/** An outcome is listed before the end. */
function listedAsEnded(test: TestMesh, count: number): Promise<RemediationSummary[]> {
  return eventually(`list of ${count} that have ended`, async () => {
    const found = (await list(test, {})).filter(({ closedAt }) => closedAt !== undefined);
    return found.length === count ? found : undefined;
  });
}
