import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readName, writeEntry } from '#client/spool/entries.js';
import { freePort } from '#worker/dev/dev-server.js';
import { startGatewayStub } from '../support/gateway-stub.js';
import { hookFixture } from '../support/hook-fixtures.js';
import { endInput, runMesh, startNode } from '../support/run-command.js';

// What an agent notices of its hooks: how long they take, many at once, and as its own settings call them.

let folder: string;
let home: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mesh-hook-'));
  home = join(folder, 'home');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const FAILURE = hookFixture('bash-failed');
const HOOK = ['worker/mesh.mjs', 'hook', 'claude-code'];
/** So long that a stub has its turn by then, on a machine that is busy with other tests. */
const PATIENT = ['--wait', '3000'];

describe('a hook with the gateway up', () => {
  test('loads nothing of Temporal, zod, fastify or any other package', async () => {
    const { url, taken } = await startGatewayStub();
    const listFile = join(folder, 'loaded');
    const preload = `data:text/javascript,${encodeURIComponent(listsWhatIsLoaded(listFile))}`;

    const { code } = await startNode(
      ['--import', preload, ...HOOK, '--home', home, '--gateway', url, ...PATIENT],
      {},
      text(FAILURE),
    ).finished;

    expect(code).toBe(0);
    expect(taken()).toHaveLength(1);
    const loaded = readFileSync(listFile, 'utf8').trim().split('\n');
    expect(loaded.some((path) => path.endsWith('/dist/client/cli/hook.js'))).toBe(true);
    expect(loaded.filter((path) => !path.startsWith('node:') && path.includes('node_modules'))).toEqual([]);
    expect(loaded.filter((path) => /dist\/(client\/mesh|contract\/event)\.js|bootstrap\.mjs/.test(path))).toEqual([]);
  });

  test('takes under 250 ms', { timeout: 60_000 }, async () => {
    const { url, taken } = await startGatewayStub();
    const runs = 15;
    const [nodeMs, hookMs]: [number[], number[]] = [[], []];
    // In turn, so that whatever else the machine does slows down both.
    for (let run = 0; run < runs; run++) {
      nodeMs.push(await timed(() => startNode(['-e', '0'], {}).finished));
      hookMs.push(
        await timed(() => startNode([...HOOK, '--home', home, '--gateway', url], {}, text(FAILURE)).finished),
      );
    }

    const [node, hook] = [median(nodeMs), median(hookMs)];
    console.log(`a hook takes ${hook.toFixed(0)} ms, Node alone ${node.toFixed(0)} ms (medians of ${runs})`);
    expect(new Set(taken()).size).toBe(1);
    // The budget is for a machine that is not busy; on one that is, Node alone tells by how much all is slower.
    expect(hook).toBeLessThan(250 * Math.max(1, node / IDLE_NODE_MS));
  });

  test('fifty at once: every event arrives, every hook ends well and says nothing', { timeout: 120_000 }, async () => {
    const { url, taken } = await startGatewayStub();

    await runFifty(url);

    await flush(url);
    expect(new Set(taken().map(callOf))).toEqual(new Set(FIFTY));
    // With fifty processes on few cores, one may not have its turn in time to see that its event was taken.
    if (!readFileIfThere(join(home, 'hook.log')).includes('no answer within')) expect(taken()).toHaveLength(50);
  });

  test('fifty at once behind a spool that holds something: what waited goes first', { timeout: 120_000 }, async () => {
    const { url, taken } = await startGatewayStub();
    await writeEntry(join(home, 'spool'), { v: 1, event: { event: 'Stop', id: 'waited' } });

    await runFifty(url);

    await flush(url);
    expect(taken()[0]).toBe('waited');
    expect(new Set(taken().map(callOf))).toEqual(new Set(['waited', ...FIFTY]));
    expect(readdirSync(join(home, 'spool')).filter((name) => readName(name) !== undefined)).toEqual([]);
  });
});

describe('hooks as `mesh install` writes them, run as a shell runs them', () => {
  let installed: string;
  let port: number;
  let strangeHome: string;
  let settings: string;

  beforeAll(async () => {
    installed = mkdtempSync(join(tmpdir(), 'mesh-hook-'));
    port = await freePort();
    // A shell would take each of these characters for something else.
    strangeHome = join(installed, `it's a "home" of $HOME & co;`);
    settings = join(installed, 'settings.json');
    const gateway = `http://127.0.0.1:${port}`;
    const { code } = await runMesh(['install', 'claude-code', '--settings', settings, '--gateway', gateway], {
      MESH_HOME: strangeHome,
    });
    expect(code).toBe(0);
    mkdirSync(strangeHome);
  });

  afterAll(() => rmSync(installed, { recursive: true, force: true }));

  test.each([
    ['PostToolUseFailure', 'bash-failed', 'failed'],
    ['PostToolUseFailure', 'mcp-tool-failed', 'failed'],
    ['PostToolUseFailure', 'subagent-bash-failed', 'failed'],
    ['PostToolUseFailure', 'bash-interrupted', 'unknown'],
    ['TaskCompleted', 'task-completed', 'success'],
    ['TaskCompleted', 'task-completed-prevented', 'failed'],
    ['SubagentStop', 'subagent-stop', 'unknown'],
    ['StopFailure', 'stop-failure', 'failed'],
  ])('%s: %s', async (event, fixture, outcome) => {
    const { posts } = await startGatewayStub(202, port);

    const raw = hookFixture(fixture);
    const command = commandFor(settings, event).replaceAll(
      ' hook claude-code',
      ` hook claude-code ${PATIENT.join(' ')}`,
    );
    const run = await runAsShell(command, `${text(raw)}\n`);

    expect(run).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(posts.map(({ body }) => body)).toMatchObject([{ event, outcome, source: 'claude-code', payload: raw }]);
    expect(readdirSync(strangeHome)).toEqual([]);
  });

  test('without a gateway the event waits in the state folder that was given', async () => {
    const settings = join(folder, 'settings.json');
    await runMesh(['install', 'claude-code', '--settings', settings, '--gateway', 'off'], { MESH_HOME: home });

    const run = await runAsShell(commandFor(settings, 'StopFailure'), text(hookFixture('stop-failure')));

    expect(run).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(readdirSync(join(home, 'spool'))).toHaveLength(1);
  });
});

const IDLE_NODE_MS = 60;
const FIFTY = Array.from({ length: 50 }, (_, index) => `at-once-${index}`);

async function runFifty(url: string): Promise<void> {
  const args = [...HOOK, '--home', home, '--gateway', url];
  const runs = FIFTY.map((id) => startNode(args, {}, text({ ...FAILURE, tool_use_id: id })).finished);
  expect(await Promise.all(runs)).toEqual(FIFTY.map(() => ({ code: 0, stdout: '', stderr: '' })));
}

function text(raw: object): string {
  return JSON.stringify(raw);
}

/** Writes the address of every module that is resolved into a file. */
function listsWhatIsLoaded(file: string): string {
  const hooks = `
    import { appendFileSync } from 'node:fs';
    export async function resolve(specifier, context, next) {
      const resolved = await next(specifier, context);
      appendFileSync(${JSON.stringify(file)}, resolved.url + '\\n');
      return resolved;
    }`;
  return `import { register } from 'node:module'; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)});`;
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await run();
  return performance.now() - begun;
}

function median(numbers: number[]): number {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

/** What hooks left because others were at it, or because the time was over. */
async function flush(url: string): Promise<void> {
  const { code, stderr } = await runMesh(['spool', '--flush', '--home', home, '--gateway', url]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}

function readFileIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function callOf(id: string): string {
  return id.split(':').at(-1) ?? '';
}

function commandFor(settingsFile: string, event: string): string {
  const { hooks } = JSON.parse(readFileSync(settingsFile, 'utf8'));
  return hooks[event][0].hooks[0].command as string;
}

async function runAsShell(command: string, stdin: string) {
  const child = spawn('/bin/sh', ['-c', command], { cwd: folder, env: { PATH: '/nowhere', MESH_TEMPORAL_PORT: '1' } });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  endInput(child, stdin);
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}
