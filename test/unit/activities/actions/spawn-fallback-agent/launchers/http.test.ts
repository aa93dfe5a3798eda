import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CancelledFailure } from '@temporalio/common';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StartedAgent } from '../../../../../../contract/remediation.js';
import { verifyLineage } from '../../../../../../rules/lineage/verify.js';
import { eventually } from '../../../../../support/eventually.js';
import { type HttpTarget, startHttpTarget } from '../../../../../support/http-target.js';
import { createSpawnBench, LINEAGE_KEY, type SpawnSetup } from '../../../../../support/spawn-activity.js';
import { tempFolder } from '../../../../../support/temp-folder.js';
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
) {
  const agents = {
    default: { http: { url: `${runtime.url}/agents`, ...http }, fallbacks: ['other'], ...agent },
    other: { command: ['true'] },
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
    next: 'other',
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

test('a retry of an agent that has ended asks for another one, in all its attempts; any other asks for the same', async () => {
  saying('', 503);
  const { spawn } = bench();
  const ask = async (agent?: StartedAgent, attempt = 1) => {
    const result = { action: 'agent', type: 'spawn_fallback_agent', status: 'failed', attempts: 1 } as const;
    const request = ownSpawnRequest({ remediation: { earlier: agent ? [{ ...result, agent }] : [] } });
    await spawn(request, { attempt }).answer.catch(() => undefined);
    const { headers, body = '' } = runtime.requests.at(-1) ?? {};
    return { key: headers?.['idempotency-key'], ...(JSON.parse(body) as { effectKey: string; session: string }) };
  };
  const ended = (session: string, launcher = 'default') => ({ launcher, session, outcome: 'failed' as const });

  const first = await ask();
  const second = await ask(ended(first.session));
  const third = await ask(ended(second.session));

  expect(first.key).toBe('remediation/default/r/event-1/agent');
  expect(second.key).toBe(`${first.effectKey}~retry-${first.session.slice(0, 8)}`);
  expect(second.effectKey).toBe(second.key);
  expect(await ask(ended(first.session), 2)).toEqual(second);
  expect(await ask(ended(first.session, 'other'))).toEqual(first);
  expect(new Set([first, second, third].map(({ key }) => key)).size).toBe(3);
  expect(new Set([first, second, third].map(({ session }) => session)).size).toBe(3);
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

describe('is final, and the next launcher is named:', () => {
  test.each<[string, unknown, number, string]>([
    ['declined with a reason', { launched: false, reason: 'no budget\nleft' }, 200, 'no budget ⏎ left'],
    ['declined without one', { launched: false }, 200, 'Fallback launcher declined to start an agent'],
    ['an empty reason', { launched: false, reason: ' ' }, 202, 'Fallback launcher declined to start an agent'],
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
      details: { attempts: 1, launcher: 'default', next: 'other' },
    });
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
      details: { launcher: 'default', next: 'other' },
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

  await expect(answer).rejects.toThrow(CancelledFailure);
  await eventually('the end of the connection', () => (runtime.openConnections() === 0 ? true : undefined));
});
