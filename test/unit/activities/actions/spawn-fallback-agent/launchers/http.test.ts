import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ActivityCancellationDetails, CancelledFailure } from '@temporalio/common';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { SpawnPlan } from '#contract/actions/spawn-fallback-agent/schema.js';
import type { StartedAgent } from '#contract/remediation.js';
import { agentSession } from '#activities/actions/spawn-fallback-agent/prepare-launch.js';
import { verifyLineage } from '#rules/lineage/verify.js';
import { eventually } from '#test/support/eventually.js';
import { type HttpTarget, startHttpTarget, type TargetAnswer } from '#test/support/http-target.js';
import { createSpawnBench, LINEAGE_KEY, type SpawnFailure, type SpawnSetup } from '#test/support/spawn-activity.js';
import { tempFolder } from '#test/support/temp-folder.js';
import { OWN_REMEDIATION, ownSpawnRequest } from '../own-spawn-request.js';

let runtime: HttpTarget;

beforeEach(async () => {
  runtime = await startHttpTarget();
});

afterEach(() => runtime.close());

function bench(
  http: Record<string, unknown> = {},
  more: Partial<SpawnSetup> = {},
  agent: Record<string, unknown> = {},
  others: Record<string, unknown> = {},
) {
  const agents = {
    default: { http: { url: `${runtime.url}/agents`, ...http }, fallbacks: ['other'], ...agent },
    other: { command: ['true'] },
    ...others,
  };
  return createSpawnBench({ agents, folder: tempFolder(), ...more });
}

function saying(body: unknown, status = 200, headers: Record<string, string> = {}) {
  runtime.answer({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
}

test('a runtime is asked once, and told all an agent needs', async () => {
  saying({ launched: true, agentId: 'agent-7' });
  const { spawn, known } = bench();
  const request = ownSpawnRequest({
    plan: { agentType: 'reviewer', model: 'small', await: 'finished' },
    event: { depth: 1, session: 's-1' },
  });

  const answer = await spawn(request).answer;

  expect(runtime.requests).toHaveLength(1);
  const [asked] = runtime.requests;
  const body = JSON.parse(asked?.body ?? '') as Record<string, unknown>;
  expect(asked).toMatchObject({
    method: 'POST',
    path: '/agents',
    headers: {
      'idempotency-key': 'remediation/default/r/event-1/agent',
      'content-type': 'application/json',
    },
  });
  expect(asked?.headers).not.toHaveProperty('authorization');
  expect(body).toEqual({
    effectKey: 'remediation/default/r/event-1/agent',
    agentType: 'reviewer',
    model: 'small',
    description: 'Fallback recovery: PostToolUseFailure (failed)',
    prompt: expect.stringContaining('You are a fallback agent') as string,
    tenant: 'default',
    depth: 2,
    lineage: expect.any(String) as string,
    root: 'event-1',
    session: expect.any(String) as string,
    remediation: OWN_REMEDIATION,
    rule: 'r',
    action: 'agent',
    event: { id: 'event-1', event: 'PostToolUseFailure', outcome: 'failed' },
  });
  const proof = { key: LINEAGE_KEY, tenant: 'default', now: Date.now() };
  expect(verifyLineage(String(body['lineage']), proof)).toMatchObject({ depth: 2, root: 'event-1' });
  expect(answer).toEqual({
    state: 'launched',
    agent: { launcher: 'default', id: 'agent-7', session: body['session'], outcome: 'running' },
    detail: 'Fallback agent launched: agent-7',
    attempts: 1,
    timeoutMs: 20_000,
  });
  // Before the request the session is known, and after it the name that the runtime gave.
  expect(known.map(({ ids, isAwaited, depth }) => ({ ids, isAwaited, depth }))).toEqual([
    { ids: [body['session']], isAwaited: true, depth: 2 },
    { ids: [body['session'], 'agent-7'], isAwaited: true, depth: 2 },
  ]);
});

test('a second attempt asks for the very same', async () => {
  saying('', 503);
  const { spawn } = bench();

  await spawn(ownSpawnRequest(), { attempt: 1 }).answer.catch(() => undefined);
  await spawn(ownSpawnRequest(), { attempt: 2, runId: 'another' }).answer.catch(() => undefined);

  const [first, second] = runtime.requests;
  expect(second?.body).toBe(first?.body);
  expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
});

describe('a retry by hand', () => {
  const BASE = 'remediation/default/r/event-1/agent';
  const ended = (session: string, launcher = 'default') => ({ launcher, session, outcome: 'failed' as const });

  async function ask(earlier: StartedAgent[], plan: Partial<SpawnPlan> = {}, attempt = 1) {
    saying('', 503);
    const result = { action: 'agent', type: 'spawn_fallback_agent', status: 'failed', attempts: 1 } as const;
    const request = ownSpawnRequest({
      plan,
      remediation: { earlier: earlier.map((agent) => ({ ...result, agent })) },
      request: { launcher: plan.agentType ?? 'default' },
    });
    const later = { http: { url: `${runtime.url}/agents` } };
    await bench({}, {}, {}, { later })
      .spawn(request, { attempt })
      .answer.catch(() => undefined);
    const { headers, body = '' } = runtime.requests.at(-1) ?? {};
    return { key: headers?.['idempotency-key'], ...(JSON.parse(body) as { effectKey: string; session: string }) };
  }

  test('of an agent that has ended asks for another one, in all its attempts; any other asks for the same', async () => {
    const first = await ask([]);
    const second = await ask([ended(first.session)]);
    const third = await ask([ended(second.session)]);

    expect(first.key).toBe(BASE);
    expect(second.key).toBe(`${first.effectKey}~retry-${first.session.slice(0, 8)}`);
    expect(second.effectKey).toBe(second.key);
    expect(await ask([ended(first.session)], {}, 2)).toEqual(second);
    expect(await ask([ended(agentSession(`${BASE}~other`), 'other')])).toEqual(first);
    expect(new Set([first, second, third].map(({ key }) => key)).size).toBe(3);
    expect(new Set([first, second, third].map(({ session }) => session)).size).toBe(3);
  });

  test('under another name of the launcher asks for another agent too, and under the old one again as well', async () => {
    const later = { agentType: 'later' };
    const first = await ask([]);
    const second = await ask([ended(first.session)], later);
    const third = await ask([ended(first.session), ended(second.session, 'later')]);
    const all = [ended(first.session), ended(second.session, 'later'), ended(third.session)];
    const fourth = await ask(all, later);

    expect(new Set([first, second, third, fourth].map(({ key }) => key)).size).toBe(4);
    // The end of that one is not known.
    expect((await ask([ended(first.session)])).key).toBe(second.key);
  });
});

describe('of an agent that may be at work, no other is tried in its place:', () => {
  const agent = { launcher: 'default', outcome: 'running', mayNotExist: true };
  const asked = { state: 'asked', by: 'http', agent };
  const unasked = { state: 'unasked' } as const;

  test.each<[string, TargetAnswer]>([
    ['it breaks off the connection', (response) => response.socket?.destroy()],
    ['it answers something that cannot be read', { body: 'OK' }],
    ['a proxy has lost touch with it', { status: 502 }],
    ['a proxy has no answer from it', { status: 504 }],
    ['it fails in a way of its own', { status: 520 }],
  ])('%s', async (_what, answer) => {
    runtime.answer(answer);
    expectNoOther(await bench().failure(ownSpawnRequest()));
  });

  test('the runtime does not answer in time', async () => {
    // That is over when the test says so, and not while the request is still on its way.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    runtime.answer(() => undefined);
    const { failure } = bench({ timeoutMs: 200 });

    const failed = failure(ownSpawnRequest());
    await eventually('the request', () => runtime.requests[0]);
    await vi.advanceTimersByTimeAsync(200);

    expectNoOther(await failed);
  });

  function expectNoOther({ isFinal, details }: SpawnFailure): void {
    expect(isFinal).toBe(false);
    expect(details).toMatchObject({ known: asked });
  }

  test.each([500, 501, 503, 429])('not so when it says itself that it has started none: %d', async (status) => {
    saying('', status);

    const { details } = await bench().failure(ownSpawnRequest());

    expect(details).toEqual({ attempts: 1, known: unasked });
  });

  test('it may be since an attempt before, which this one has heard of', async () => {
    saying('', 503);
    const { spawn, failure } = bench();
    const { heartbeats, answer } = spawn(ownSpawnRequest());
    await answer.catch(() => undefined);

    const ofThis = await failure(ownSpawnRequest(), { attempt: 2, earlier: heartbeats[0] });
    const after503 = await failure(ownSpawnRequest(), { attempt: 2, earlier: heartbeats.at(-1) });

    expect(ofThis.details).toMatchObject({ known: asked });
    expect(after503.details).toEqual({ attempts: 2, known: unasked });
    expect(runtime.requests).toHaveLength(3);
  });

  test('but when the runtime then says that there is none', async () => {
    saying({ launched: false });
    const { failure } = bench();
    const before = { launcher: 'default', session: 's-1', outcome: 'running' } as const;
    const earlier = { attempts: 1, known: { state: 'asked', by: 'http', agent: before } } as const;

    expect(await failure(ownSpawnRequest(), { attempt: 2, earlier })).toMatchObject({
      details: { known: { state: 'declined' } },
    });
  });

  test('its worker may die before it has heard of it', async () => {
    saying({ launched: true });
    const { heartbeats, answer } = bench().spawn(ownSpawnRequest());
    await answer;

    expect(heartbeats).toMatchObject([{ known: asked }]);
  });

  test('the worker is stopped before it has heard of it', async () => {
    runtime.answer(() => undefined);
    const { spawn } = bench();
    const { answer, environment } = spawn(ownSpawnRequest());
    await eventually('the request', () => runtime.requests[0]);

    environment.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));

    // Another worker asks for the same, and no attempt is used up.
    expect(await answer).toMatchObject({
      state: 'delayed',
      reason: 'the worker that ran it was stopped',
      attempts: 0,
      known: asked,
    });
  });
});

test('nobody waits for the end of an agent that a rule only wants launched', async () => {
  saying({ launched: true });
  const { spawn, known } = bench();

  const answer = await spawn(ownSpawnRequest()).answer;

  expect(answer).toMatchObject({ state: 'launched', detail: 'Fallback agent launched' });
  expect(answer).not.toHaveProperty('agent.id');
  expect(known).toMatchObject([{ isAwaited: false }]);
});

test('the shorter time limit of the agent is the one that the remediation waits for', async () => {
  saying({ launched: true });

  expect(await bench({}, {}, { timeoutMs: 5_000 }).spawn(ownSpawnRequest()).answer).toMatchObject({ timeoutMs: 5_000 });
});

test.each([
  ['with the name of the agent', { agentId: 'agent-7', launched: true }, 'Fallback agent launched: agent-7'],
  ['with nothing else', {}, 'Fallback agent launched'],
  ['with a page', '<html>', 'Fallback agent launched'],
])('a key that was used already counts as launched: 409 %s', async (_what, body, detail) => {
  saying(body, 409);

  expect(await bench().spawn(ownSpawnRequest()).answer).toMatchObject({ state: 'launched', detail });
});

describe('between two attempts the remediation knows', () => {
  test('that the one before has started none', async () => {
    saying('', 503);
    const { failure, attempts } = bench();

    await failure(ownSpawnRequest());
    await failure(ownSpawnRequest(), { attempt: 2 });

    const [first, second] = [attempts[0]?.attempt, attempts[2]?.attempt];
    expect(attempts).toEqual([
      { state: 'asked', attempt: first },
      { state: 'not-started', attempt: first },
      { state: 'asked', attempt: second },
      { state: 'not-started', attempt: second },
    ]);
    expect(first).not.toBe(second);
  });

  test('the same of one that could not even ask', async () => {
    const { failure, attempts } = bench({ token: '${env:TOKEN}' });

    await failure(ownSpawnRequest());

    expect(attempts).toMatchObject([{ state: 'asked' }, { state: 'not-started' }]);
  });

  test('the same of one whose worker is stopped before it could ask', async () => {
    const told: string[] = [];
    const stopped: (() => void)[] = [];
    const tellRemediation: SpawnSetup['tellRemediation'] = async (_remediation, { state }) => {
      told.push(state);
      if (state === 'asked') stopped.forEach((stop) => stop());
    };
    const { answer, environment } = bench({}, { tellRemediation }).spawn(ownSpawnRequest());
    stopped.push(() =>
      environment.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true })),
    );

    expect(await answer).toMatchObject({ state: 'delayed' });
    expect(runtime.requests).toEqual([]);
    expect(told).toEqual(['asked', 'not-started']);
  });

  test('nothing of the kind when that one, or one before it, may have started it', async () => {
    saying('', 502);
    const { failure, attempts } = bench();

    const { details: earlier } = await failure(ownSpawnRequest());
    saying('', 503);
    await failure(ownSpawnRequest(), { attempt: 2, earlier });

    expect(attempts).toMatchObject([{ state: 'asked' }, { state: 'asked' }]);
  });

  test('and is told after it was told of the question, however long that takes', async () => {
    saying('', 503);
    const told: string[] = [];
    const tellRemediation: SpawnSetup['tellRemediation'] = async (_remediation, { state }) => {
      if (state === 'asked') await setTimeout(100);
      told.push(state);
    };

    await bench({}, { tellRemediation }).failure(ownSpawnRequest());

    expect(told).toEqual(['asked', 'not-started']);
  });

  test('nothing more where there is no next attempt: the failure itself says it', async () => {
    saying('', 403);
    const { failure, attempts } = bench();

    expect(await failure(ownSpawnRequest())).toMatchObject({ isFinal: true });

    expect(attempts).toMatchObject([{ state: 'asked' }]);
  });
});

describe('is final:', () => {
  test.each<[string, unknown, number, string]>([
    ['400', { error: 'unknown model' }, 400, 'Fallback agent launch failed: the runtime answered 400: unknown model'],
    ['404', '', 404, 'Fallback agent launch failed: the runtime answered 404'],
    ['a redirect', '', 302, 'Fallback agent launch failed: the runtime answered 302'],
  ])('%s', async (_what, body, status, message) => {
    saying(body, status);

    expect(await bench().failure(ownSpawnRequest())).toEqual({
      type: 'launch-failed',
      message,
      isFinal: true,
      retryAfterMs: undefined,
      details: { attempts: 1, known: { state: 'unasked' } },
    });
  });

  test.each([
    ['with a reason', 'no budget\nleft', 200, 'no budget ⏎ left'],
    ['without one', undefined, 200, 'Fallback launcher declined to start an agent'],
    ['with an empty one', ' ', 202, 'Fallback launcher declined to start an agent'],
  ])('it declines %s, and what it was asked with is on record', async (_what, reason, status, message) => {
    saying({ launched: false, reason }, status);

    expect(await bench().failure(ownSpawnRequest())).toMatchObject({ type: 'launch-failed', message, isFinal: true });
    const { details } = await bench().failure(ownSpawnRequest());

    const { session } = JSON.parse(runtime.requests.at(-1)?.body ?? '') as { session: string };
    expect(details).toEqual({ attempts: 1, known: { state: 'declined', session } });
  });

  test('an address that nobody named', async () => {
    const { failure } = bench({}, { privateHosts: [] });

    expect(await failure(ownSpawnRequest())).toMatchObject({
      type: 'launch-failed',
      message: expect.stringMatching(/^Fallback agent launch failed: the address 127\.0\.0\.1 is private/) as string,
      isFinal: true,
    });
    expect(runtime.connections()).toBe(0);
  });
});

describe('is tried again:', () => {
  test.each<[string, unknown, number, RegExp]>([
    ['500', 'oops', 500, /the runtime answered 500: oops$/],
    ['408', '', 408, /answered 408$/],
    ['an answer that is no answer', 'OK', 200, /answered 200, but neither/],
    ['launched in quotes', { launched: 'true' }, 200, /answered 200, but neither/],
    ['a list', [true], 200, /answered 200, but neither/],
  ])('%s', async (_what, body, status, message) => {
    saying(body, status);

    expect(await bench().failure(ownSpawnRequest())).toMatchObject({
      type: 'launch-failed',
      message: expect.stringMatching(message) as string,
      isFinal: false,
      retryAfterMs: undefined,
    });
  });

  test('429, when the runtime says', async () => {
    saying({ message: 'slow down' }, 429, { 'retry-after': '7' });

    expect(await bench().failure(ownSpawnRequest())).toMatchObject({ isFinal: false, retryAfterMs: 7_000 });
  });

  test('a runtime that is not there', async () => {
    await runtime.close();

    expect(await bench().failure(ownSpawnRequest())).toMatchObject({
      message: expect.stringMatching(/^Fallback agent launch failed: connect ECONNREFUSED/) as string,
      isFinal: false,
      details: { known: { state: 'unasked' } },
    });
  });

  test('a runtime that does not answer in time', async () => {
    runtime.answer(() => undefined);

    expect(await bench({ timeoutMs: 200 }).failure(ownSpawnRequest())).toMatchObject({
      message: 'Fallback agent launch failed: no answer within 200ms',
      isFinal: false,
    });
  });

  test('a secret that is not there', async () => {
    expect(await bench({ token: '${env:TOKEN}' }).failure(ownSpawnRequest())).toMatchObject({
      message: 'Fallback agent launch failed: environment variable TOKEN is not set',
      isFinal: false,
      details: { known: { state: 'unasked' } },
    });
    expect(runtime.requests).toEqual([]);
  });
});

test('token and headers are sent, and never come back in a reason', async () => {
  const folder = tempFolder();
  await writeFile(join(folder, 'key'), 'header-secret-42\n');
  runtime.answer((response, { headers }) => {
    const said = `no: ${headers.authorization} ${String(headers['x-api-key'])} ${String(headers['x-team'])}`;
    response.writeHead(200).end(JSON.stringify({ launched: false, reason: said }));
  });
  const headers = { 'X-Api-Key': '${file:key}', 'X-Team': 'blue' };
  const { failure } = bench({ token: '${env:TOKEN}', headers }, { folder, env: { TOKEN: 'bearer-secret-42' } });

  const { message } = await failure(ownSpawnRequest());

  expect(runtime.requests[0]?.headers).toMatchObject({
    authorization: 'Bearer bearer-secret-42',
    'x-api-key': 'header-secret-42',
  });
  expect(message).toMatch(/^no: .*\*\*\* blue$/);
  expect(message).not.toContain('secret-42');
});

test('what a runtime says is shown without secrets and without tricks', async () => {
  saying({ launched: false, reason: 'customer C-1234 \u202e\u0007 ' + 'x'.repeat(1_000) });
  const { failure } = bench({}, { redact: { patterns: ['C-[0-9]+'] } });

  const { message } = await failure(ownSpawnRequest());

  expect(message).toMatch(/^customer \[redacted\] \\u202e\\u0007 x+…$/);
  expect(message.length).toBeLessThan(400);
});

test.each<[string, unknown]>([
  ['an empty one', ''],
  ['one longer than an event can carry', 'x'.repeat(201)],
  ['a number', 7],
])('an agent id that is of no use is not taken: %s', async (_what, agentId) => {
  saying({ launched: true, agentId });
  const { spawn, known } = bench();

  expect(await spawn(ownSpawnRequest()).answer).toMatchObject({ state: 'launched', detail: 'Fallback agent launched' });
  expect(known).toHaveLength(1);
});

test('an abort ends the request', async () => {
  runtime.answer(() => undefined);
  const { answer, environment } = bench().spawn(ownSpawnRequest());
  await eventually('the request', () => runtime.requests[0]);

  environment.cancel();

  const error: unknown = await answer.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(CancelledFailure);
  const session = expect.any(String) as string;
  expect(error).toMatchObject({
    details: [{ known: { state: 'asked', agent: { launcher: 'default', session, outcome: 'running' } } }],
  });
  await eventually('the end of the connection', () => (runtime.openConnections() === 0 ? true : undefined));
});

test.each(['default', 'gone'])(
  'after an abort that met no attempt, one of %s may still be at work',
  async (launcher) => {
    const agent = { launcher, session: 's-1', outcome: 'running' } as const;

    expect(await bench().endAgent({ ...ownSpawnRequest(), agent })).toEqual({ state: 'left', agent });
    expect(runtime.requests).toEqual([]);
  },
);
