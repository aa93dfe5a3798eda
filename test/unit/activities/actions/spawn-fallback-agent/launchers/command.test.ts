import { spawn as spawnProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ActivityCancellationDetails, CancelledFailure } from '@temporalio/common';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { claimsFor } from '#rules/lineage/claims.js';
import { signLineage } from '#rules/lineage/sign.js';
import { verifyLineage } from '#rules/lineage/verify.js';
import { eventually } from '#test/support/eventually.js';
import { isRunning, pidsIn } from '#test/support/processes.js';
import { createSpawnBench, LINEAGE_KEY, type SpawnSetup } from '#test/support/spawn-activity.js';
import { tempFolder } from '#test/support/temp-folder.js';
import { OWN_REMEDIATION, ownSpawnRequest } from '../own-spawn-request.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;

function bench(agent: Record<string, unknown>, more: Partial<SpawnSetup> = {}) {
  return createSpawnBench({ agents: { default: agent }, folder: tempFolder(), ...more });
}

/** A shell and a child of it, neither of which minds being asked to end. */
const STUBBORN = `trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & echo "$$ $!" > pids; while :; do sleep 1; done`;
/** It is there before this goes on. */
const STRAYING = `setsid sh -c 'trap "" TERM; echo $$ > pids; while :; do sleep 1; done' & while [ ! -s pids ]; do sleep 0.1; done;`;
/** It holds the output of the agent, as a server does that one has started, and its environment says nothing of that. */
const DAEMONISED = `const options = { detached: true, stdio: 'inherit', env: { PATH: process.env.PATH } };
const { pid } = require('child_process').spawn('sleep', ['60'], options);
require('fs').writeFileSync('pids', String(pid)); setInterval(() => {}, 1_000);`;

function node(code: string): string[] {
  return [process.execPath, '-e', code];
}

test('an agent that ends well is finished, with the end of what it said', async () => {
  const { spawn } = bench({ command: ['sh', '-c', 'cat > /dev/null; echo all done; echo aside >&2'] });

  const answer = await spawn(ownSpawnRequest()).answer;

  expect(answer).toEqual({
    state: 'finished',
    agent: {
      launcher: 'default',
      session: expect.stringMatching(UUID) as string,
      outcome: 'success',
      outputTail: expect.stringMatching(/all done/) as string,
    },
    detail: expect.stringMatching(
      /^Fallback agent ran \(exit code 0\); output: (all done\naside|aside\nall done)$/,
    ) as string,
    attempts: 1,
  });
});

test('one that says nothing has no output', async () => {
  const answer = await bench({ command: ['true'] }).spawn(ownSpawnRequest()).answer;

  expect(answer).toMatchObject({ detail: 'Fallback agent ran (exit code 0); no output', agent: { outputTail: '' } });
});

test('the watch knows of the agent before it starts, and the remediation hears that it runs', async () => {
  const folder = tempFolder();
  const { spawn, known, news } = bench(
    { command: ['test', '-f', 'known'] },
    { folder, tellWatch: () => writeFile(join(folder, 'known'), '') },
  );
  const request = ownSpawnRequest({
    event: { depth: 1, lineage: { root: 'event-0' } },
    remediation: { path: ['first-rule'] },
  });

  const answer = await spawn(request).answer;

  const session = answer.state === 'finished' ? answer.agent.session : undefined;
  expect(known).toEqual([
    {
      ids: [session],
      depth: 2,
      root: 'event-0',
      path: ['first-rule', 'r'],
      remediation: OWN_REMEDIATION,
      action: 'agent',
      isAwaited: false,
      untilAt: expect.any(Number) as number,
    },
  ]);
  expect(news).toEqual([
    {
      remediation: OWN_REMEDIATION,
      news: { action: 'agent', state: 'launched', agent: { launcher: 'default', session, outcome: 'running' } },
    },
  ]);
});

test('a remediation that cannot be told ends no agent', async () => {
  const { spawn } = bench({ command: ['true'] }, { tellRemediation: () => Promise.reject(new Error('gone')) });

  expect(await spawn(ownSpawnRequest()).answer).toMatchObject({ state: 'finished' });
});

test('an agent knows its place: variables, and a token that proves the depth', async () => {
  const { spawn } = bench(
    { command: node('console.log(JSON.stringify(process.env))') },
    { env: { HOME: '/h', OTHER: 'x' } },
  );
  const request = ownSpawnRequest({
    plan: { agentType: 'reviewer', model: 'small', description: 'Because of ${ERROR}' },
    event: { depth: 1, session: 's-1', payload: { tool_name: 'Bash', error: 'it\nbroke' } },
  });

  const { variables, tail } = variablesIn(await spawn(request).answer);

  expect(variables).toMatchObject({
    HOME: '/h',
    MESH_TENANT: 'default',
    MESH_EVENT_ID: 'event-1',
    MESH_EVENT: 'PostToolUseFailure',
    MESH_OUTCOME: 'failed',
    MESH_SESSION: 's-1',
    MESH_TOOL: 'Bash',
    MESH_RULE: 'r',
    MESH_ACTION: 'agent',
    MESH_AGENT_TYPE: 'reviewer',
    MESH_MODEL: 'small',
    MESH_DESCRIPTION: 'Because of it ⏎ broke',
    MESH_REMEDIATION: OWN_REMEDIATION,
    MESH_EFFECT_KEY: 'remediation/default/r/event-1/agent',
    MESH_ATTEMPT: '1',
    MESH_DEPTH: '2',
    MESH_ROOT_EVENT: 'event-1',
    MESH_AGENT_SESSION: expect.stringMatching(UUID),
  });
  expect(variables).not.toHaveProperty('OTHER');
  // The token proves something, so it is nothing to keep in a record.
  expect(variables['MESH_LINEAGE']).toBe('[redacted]');
  expect(tail).not.toContain('mesh1.');
});

test('the token is good for the depth of what the agent reports', async () => {
  const folder = tempFolder();
  const { spawn } = bench({ command: ['sh', '-c', 'printf %s "$MESH_LINEAGE" > token'] }, { folder });

  await spawn(ownSpawnRequest({ event: { depth: 1 } })).answer;

  const token = await readFile(join(folder, 'token'), 'utf8');
  expect(verifyLineage(token, { key: LINEAGE_KEY, tenant: 'default', now: Date.now() })).toEqual({
    depth: 2,
    root: 'event-1',
    parent: OWN_REMEDIATION,
    path: ['r'],
  });
});

test('each attempt and each run has a session of its own, under one effect key', async () => {
  const { spawn } = bench({ command: ['true'] });
  const sessionOf = async (info: { attempt: number; runId: string }) => {
    const answer = await spawn(ownSpawnRequest(), info).answer;
    return answer.state === 'finished' ? answer.agent.session : undefined;
  };

  const sessions = [
    await sessionOf({ attempt: 1, runId: 'a' }),
    await sessionOf({ attempt: 2, runId: 'a' }),
    await sessionOf({ attempt: 1, runId: 'b' }),
  ];

  expect(new Set(sessions).size).toBe(3);
  expect(await sessionOf({ attempt: 2, runId: 'a' })).toBe(sessions[1]);
});

test.each([
  ['stdin', 'cat'],
  ['argument', 'printf %s "$1"'],
])('the prompt comes by %s', async (prompt, script) => {
  const { spawn } = bench({ command: ['sh', '-c', script, 'sh'], prompt });

  const answer = await spawn(ownSpawnRequest({ plan: { promptTemplate: 'Look into ${EVENT_NAME}.' } })).answer;

  expect(answer).toMatchObject({ agent: { outputTail: 'Look into PostToolUseFailure.' } });
});

test('a template may tell of the agent that was started last before', async () => {
  const { spawn } = bench({ command: ['cat'] });
  const request = ownSpawnRequest({ plan: { promptTemplate: '${AGENT_OUTCOME}/${AGENT_ID}/${AGENT_OUTPUT_TAIL}' } });
  const first = { ...request.plan, name: 'first' };

  const answer = await spawn({
    ...request,
    remediation: { ...request.remediation, actions: [first, request.plan] },
    soFar: [
      {
        action: 'first',
        type: 'spawn_fallback_agent',
        status: 'failed',
        attempts: 1,
        agent: { launcher: 'l', id: 'agent-7', outcome: 'failed', outputTail: 'gave up' },
      },
    ],
  }).answer;

  expect(answer).toMatchObject({ agent: { outputTail: 'failed/agent-7/gave up' } });
});

test('values of variables may be secrets that stand elsewhere, and are not in the record afterwards', async () => {
  const folder = tempFolder();
  await writeFile(join(folder, 'key.txt'), 'from-a-file-4711\n');
  const { spawn } = bench(
    {
      command: ['sh', '-c', 'echo "$PLAIN $A $B $API_KEY"'],
      env: { PLAIN: 'plain-value', A: '${env:MINE}', B: '${file:key.txt}' },
      inheritEnv: ['API_KEY'],
    },
    { folder, env: { MINE: 'from-the-worker-42', API_KEY: 'inherited-key-0815' } },
  );

  const answer = await spawn(ownSpawnRequest()).answer;

  expect(answer).toMatchObject({ agent: { outputTail: 'plain-value [redacted] [redacted] [redacted]' } });
});

test('a secret that is not there is said by name', async () => {
  const { failure } = bench({ command: ['true'], env: { A: '${env:MINE}' }, fallbacks: [] });

  expect(await failure(ownSpawnRequest())).toMatchObject({
    type: 'launch-failed',
    message: 'Fallback agent launch failed: environment variable MINE is not set',
    isFinal: false,
    details: { known: { state: 'unasked' } },
  });
});

test('an agent that fails says how, and how it ended', async () => {
  const { failure } = createSpawnBench({
    agents: {
      default: { command: ['sh', '-c', 'echo half done; exit 3'], fallbacks: ['other'] },
      other: { command: ['true'] },
    },
    folder: tempFolder(),
  });

  expect(await failure(ownSpawnRequest(), { attempt: 2 })).toEqual({
    type: 'agent-failed',
    message: 'Fallback agent ended with exit code 3',
    isFinal: false,
    retryAfterMs: undefined,
    details: {
      attempts: 2,
      detail: 'output: half done',
      known: {
        state: 'ended',
        agent: {
          launcher: 'default',
          session: expect.stringMatching(UUID) as string,
          outcome: 'failed',
          outputTail: 'half done',
        },
      },
    },
  });
});

test('a fallback starts an agent under a key of its own', async () => {
  const { spawn } = createSpawnBench({
    agents: {
      default: { command: ['false'], fallbacks: ['my other'] },
      'my other': { command: ['sh', '-c', 'echo $MESH_EFFECT_KEY'] },
    },
    folder: tempFolder(),
  });

  const answer = await spawn(ownSpawnRequest({ request: { launcher: 'my other', isFallback: true } })).answer;

  expect(answer).toMatchObject({
    state: 'finished',
    agent: { launcher: 'my other', outputTail: 'remediation/default/r/event-1/agent~my%20other' },
  });
  expect(answer).not.toHaveProperty('next');
});

test.each([
  [
    'a program that is not there',
    ['/no/such/program'],
    true,
    /: \/no\/such\/program in .*: spawn \/no\/such\/program ENOENT$/,
  ],
  [
    'a file that is no program',
    [new URL(import.meta.url).pathname],
    true,
    /EACCES: .* is not executable here \(chmod \+x \/.*command\.test\.ts\)$/,
  ],
  ['an argument that no program can take', ['true', 'a\0b'], true, /null bytes/],
])('%s is no launch', async (_what, command, isFinal, message) => {
  const { failure, news } = bench({ command });

  expect(await failure(ownSpawnRequest())).toMatchObject({
    type: 'launch-failed',
    message: expect.stringMatching(message) as string,
    isFinal,
  });
  expect(news).toEqual([]);
});

test('an agent over its time limit is ended; the shorter limit holds', async () => {
  // It is over when the test says so, and not before the agent has begun.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const folder = tempFolder();
  const command = ['sh', '-c', 'echo begun; echo > has-begun; exec sleep 60'];
  const { failure } = bench({ command, timeoutMs: 10_000 }, { folder });

  const failed = failure(ownSpawnRequest());
  await eventually('its begin', () => existsSync(join(folder, 'has-begun')) || undefined);
  await vi.advanceTimersByTimeAsync(10_000);

  expect(await failed).toMatchObject({
    type: 'timeout',
    message: 'Fallback agent was ended after its time limit of 10000ms',
    details: { detail: 'output: begun', known: { state: 'ended', agent: { outcome: 'timeout', outputTail: 'begun' } } },
  });
});

test('heartbeats say where the agent runs', async () => {
  const { spawn } = createSpawnBench({
    agents: { default: { command: ['sleep', '60'], fallbacks: ['other'] }, other: { command: ['true'] } },
    folder: tempFolder(),
  });

  const { answer, heartbeats, environment } = spawn(ownSpawnRequest());
  const last = await eventually('a heartbeat with the agent', () =>
    heartbeats.find(({ known }) => known.state !== 'unasked'),
  );
  environment.cancel();

  await expect(answer).rejects.toThrow(CancelledFailure);
  expect(last).toMatchObject({
    attempts: 1,
    known: {
      state: 'running',
      process: { pid: expect.any(Number) as number, host: hostname() },
      agent: { launcher: 'default', outcome: 'running' },
    },
  });
});

test('an aborted agent that ignores SIGTERM is gone within five seconds of hearing of it, with all it started', async () => {
  const folder = tempFolder();
  const { spawn } = bench({ command: ['sh', '-c', STUBBORN] }, { folder });
  const { answer, environment } = spawn(ownSpawnRequest());
  const pids = await pidsIn(join(folder, 'pids'), 2);

  const abortedAt = performance.now();
  environment.cancel();

  await expect(answer).rejects.toThrow(CancelledFailure);
  // Two of them are its own; the others are for a busy machine.
  expect(performance.now() - abortedAt).toBeLessThan(5_000);
  for (const pid of pids) expect(await isRunning(pid)).toBe(false);
});

test('when its worker is stopped it is ended, and says so with all that the workflow goes on by', async () => {
  const agents = { default: { command: ['sleep', '60'], fallbacks: ['next'] }, next: { command: ['true'] } };
  const { spawn, news } = createSpawnBench({ agents, folder: tempFolder() });
  const { answer, environment } = spawn(ownSpawnRequest());
  await eventually('the agent', () => news[0]);

  environment.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));

  const error: unknown = await answer.catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    type: 'worker-stopped',
    message: 'the worker that ran it was stopped',
    nonRetryable: false,
    details: [{ attempts: 1, known: { state: 'ended', agent: { launcher: 'default', outcome: 'failed' } } }],
  });
});

describe('what an agent has put into a session of its own, and which does not mind being asked to end,', () => {
  async function strayIn(folder: string): Promise<number> {
    const [stray = 0] = await pidsIn(join(folder, 'pids'), 1);
    onTestFinished(async () => void ((await isRunning(stray)) && process.kill(stray, 'SIGKILL')));
    return stray;
  }

  const straying = ['sh', '-c', `${STRAYING} sleep 60 & wait`];

  test('is ended when the agent is aborted, and that takes no longer', async () => {
    const folder = tempFolder();
    const { answer, environment } = bench({ command: straying }, { folder }).spawn(ownSpawnRequest());
    const stray = await strayIn(folder);

    const abortedAt = performance.now();
    environment.cancel();

    await expect(answer).rejects.toThrow(CancelledFailure);
    expect(performance.now() - abortedAt).toBeLessThan(5_000);
    expect(await isRunning(stray)).toBe(false);
  });

  test('is ended at the time limit of the agent', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const folder = tempFolder();
    const failed = bench({ command: straying, timeoutMs: 10_000 }, { folder }).failure(ownSpawnRequest());
    const stray = await strayIn(folder);
    await vi.advanceTimersByTimeAsync(10_000);

    expect(await failed).toMatchObject({ type: 'timeout' });
    expect(await isRunning(stray)).toBe(false);
  });

  test('is ended also when it was started while the agent was asked to end', async () => {
    const folder = tempFolder();
    const late = `trap "${STRAYING.replaceAll('"', '\\"').replaceAll('$', '\\$')} exit" TERM; echo > begun; while :; do sleep 0.1; done`;
    const { answer, environment } = bench({ command: ['bash', '-c', late] }, { folder }).spawn(ownSpawnRequest());
    await eventually('its begin', () => existsSync(join(folder, 'begun')) || undefined);

    environment.cancel();

    await expect(answer).rejects.toThrow(CancelledFailure);
    const stray = await strayIn(folder);
    expect(await isRunning(stray)).toBe(false);
  });

  test('goes on when the agent has ended by itself', async () => {
    const folder = tempFolder();
    await bench({ command: ['sh', '-c', STRAYING] }, { folder }).spawn(ownSpawnRequest()).answer;
    const stray = await strayIn(folder);

    expect(await isRunning(stray)).toBe(true);
  });
});

test('what an aborted agent left behind and cannot be told for its own does not hold up the worker', async () => {
  const folder = tempFolder();
  const pipes = () => process.getActiveResourcesInfo().filter((resource) => resource === 'PipeWrap').length;
  const before = pipes();
  const { spawn } = bench({ command: [process.execPath, '-e', DAEMONISED] }, { folder });
  const { answer, environment } = spawn(ownSpawnRequest());
  const [daemon = 0] = await pidsIn(join(folder, 'pids'), 1);
  onTestFinished(() => void process.kill(daemon));

  environment.cancel();
  await expect(answer).rejects.toThrow(CancelledFailure);

  expect(await isRunning(daemon)).toBe(true);
  await eventually('the end of all pipes', () => pipes() <= before || undefined, 5_000);
});

/** Leaves a process behind whose first one is gone, as a killed worker leaves an agent. */
async function leaveBehind(remediation = OWN_REMEDIATION): Promise<number> {
  const folder = tempFolder();
  const left = bench({ command: ['sh', '-c', 'sleep 60 & echo "$$ $!" > pids'] }, { folder });
  await left.spawn(ownSpawnRequest({ remediation: { id: remediation } })).answer;
  const [, leftOver = 0] = await pidsIn(join(folder, 'pids'), 2);
  expect(await isRunning(leftOver)).toBe(true);
  return leftOver;
}

test.each([
  ['the next attempt', { attempt: 2 }],
  ['another activity, as after a launch that was put off', { runId: randomUUID() }],
])('an agent that a dead worker left behind is ended before a new one starts by %s', async (_what, info) => {
  const leftOver = await leaveBehind();

  await bench({ command: ['true'] }).spawn(ownSpawnRequest(), info).answer;

  expect(await isRunning(leftOver)).toBe(false);
});

test('it is ended also before the launcher after its own starts one', async () => {
  const leftOver = await leaveBehind();
  const agents = { default: { command: ['true'], fallbacks: ['next'] }, next: { command: ['true'] } };
  const { spawn } = createSpawnBench({ agents, folder: tempFolder() });

  await spawn(ownSpawnRequest({ request: { launcher: 'next' } })).answer;

  expect(await isRunning(leftOver)).toBe(false);
});

test('it is ended also by an abort that meets no attempt', async () => {
  const leftOver = await leaveBehind();
  const agent = { launcher: 'default', outcome: 'running' } as const;

  expect(await bench({ command: ['true'] }).endAgent({ ...ownSpawnRequest(), agent })).toEqual({
    state: 'ended',
    agent: { ...agent, outcome: 'failed' },
  });
  expect(await isRunning(leftOver)).toBe(false);
});

test('what another action, or another mesh with the same names, has started is let alone', async () => {
  const token = (key: string) => {
    const { remediation } = ownSpawnRequest();
    return signLineage(claimsFor(remediation, Date.now()), key);
  };
  const started = (action: string, key: string) =>
    spawnProcess('sleep', ['60'], {
      detached: true,
      env: {
        MESH_REMEDIATION: OWN_REMEDIATION,
        MESH_ACTION: action,
        MESH_LINEAGE: token(key),
        PATH: process.env['PATH'],
      },
    });
  const alone = [started('another', LINEAGE_KEY), started('agent', 'the key of another mesh')];
  const ours = started('agent', LINEAGE_KEY);
  const ended = once(ours, 'exit');

  await bench({ command: ['true'] }).spawn(ownSpawnRequest()).answer;

  await ended;
  for (const { pid = 0 } of alone) expect(await isRunning(pid)).toBe(true);
  for (const one of alone) one.kill();
});

test('the time limit counts from the start of the attempt, not of the agent', async () => {
  const folder = tempFolder();
  const { failure, news } = bench(
    { command: ['sh', '-c', 'echo > begun'], timeoutMs: 100 },
    { folder, tellWatch: () => new Promise((resolve) => setTimeout(resolve, 150)) },
  );

  expect(await failure(ownSpawnRequest())).toMatchObject({
    type: 'launch-failed',
    message: 'Fallback agent launch failed: its time limit of 100ms was over before it could start',
    isFinal: false,
  });
  expect(news).toEqual([]);
});

function variablesIn(answer: unknown): { variables: Record<string, string>; tail: string } {
  const { outputTail } = (answer as { agent: { outputTail: string } }).agent;
  return { variables: JSON.parse(outputTail) as Record<string, string>, tail: outputTail };
}
