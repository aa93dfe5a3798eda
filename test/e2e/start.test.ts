import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, type TestContext } from 'vitest';
import { connectMesh } from '#client/mesh.js';
import type { EventPage } from '#contract/views/events.js';
import { freePort } from '#worker/dev/dev-server.js';
import { eventually } from '../support/eventually.js';
import { get, postJson } from '../support/gateway-process.js';
import { type Finished, type Running, runMesh, startNode } from '../support/run-command.js';

const failure = (id: string) => [
  'send',
  ...['--id', id, '--event', 'PostToolUseFailure', '--outcome', 'failed', '--session', 's-1'],
  ...['--payload', JSON.stringify({ tool_name: 'Bash', error: 'timeout', id })],
];

// Side by side, since they wait: for a worker that does not come back, and for a server that is not there.
test.concurrent(
  'npm start, an event, Ctrl-C, npm start again: the cooldown is still live',
  { timeout: 120_000 },
  async (context) => {
    const { home, env, address, gateway, start, codesOn } = await buildSite(context);
    env['MESH_METRICS_ADDRESS'] = `127.0.0.1:${await freePort()}`;
    const first = await start();
    const banner = first.output().stdout;
    expect(banner.trimEnd().split('\n').length).toBeLessThan(15);
    expect(banner).toContain(`http://127.0.0.1:${env['MESH_UI_PORT']}`);
    expect(banner).toContain('retry-failed-tool');
    const pasted = /npx mesh (send .*)$/m.exec(banner)?.[1] ?? '';
    expect(pasted).toContain('PostToolUseFailure');

    const sent = await runMesh(failure('e-1'), env);
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    expect(sent.stdout).toContain('Event e-1 stored');
    expect(await codesOn('e-1')).toEqual(['fire', 'fire', 'shadow']);
    const metrics = await get(`http://${env['MESH_METRICS_ADDRESS']}/metrics`);
    expect(metrics.body).toContain('temporal_activity_schedule_to_start_latency');
    await eventually('mails', async () => ((await readdir(join(home, 'mail'))).length === 2 ? true : undefined));
    await eventually('the line of its end', () =>
      / Bash failed → retry-failed-tool → executed, /.test(first.output().stdout) ? true : undefined,
    );
    expect(first.output().stdout).toMatch(
      / Bash failed \(s-1\) → retry-failed-tool fired, every-tool-failure shadow\n/,
    );
    expect(await pressCtrlC(first)).toBe(0);
    expect(first.output().stderr).not.toContain('The Temporal server ended');
    expect(await isListening(address)).toBe(false);
    const { events } = JSON.parse((await runMesh(['events', '--session', 's-1', '--json'], env)).stdout) as EventPage;
    expect(events).toMatchObject([{ id: 'e-1', tool: 'Bash', endings: [{ outcome: 'executed' }] }]);
    const why = await runMesh(['why', '--session', 's-1', '--last'], env);
    expect(why.stderr).toContain('This is what the record knows.');
    expect(why.stdout).toContain('Event e-1 (PostToolUseFailure)');

    const second = await start();
    const tail = startNode(['worker/mesh.mjs', 'tail', '--tool', 'Bash', '--json'], env);
    context.onTestFinished(() => void tail.child.kill('SIGKILL'));
    const posted = await postJson(`${gateway}/v1/events`, { event: 'TaskCompleted', id: 'e-http' });
    expect(posted.status).toBe(202);
    expect(await codesOn('e-http')).toEqual(['no-match']);
    const hook = { hook_event_name: 'SessionStart', session_id: 's-1', source: 'startup' };
    expect(await runMesh(['hook', 'claude-code'], env, JSON.stringify(hook))).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
    expect((await get(`${gateway}/readyz`)).status).toBe(200);
    await runMesh(failure('e-2'), env);
    expect(await codesOn('e-2')).toEqual(['cooldown', 'cooldown', 'shadow']);
    const line = await eventually('the line of tail', () => tail.output().stdout || undefined);
    expect(JSON.parse(line)).toMatchObject({
      event: { id: 'e-2', session: 's-1', verdicts: [{ code: 'cooldown' }, {}, {}] },
    });
    tail.child.kill('SIGINT');
    expect((await tail.finished).code).toBe(0);
    const listed = await get(`${gateway}/v1/events?session=s-1&verdict=skipped`);
    expect((JSON.parse(listed.body) as EventPage).events.map(({ id }) => id)).toContain('e-2');
    expect(await pressCtrlC(second)).toBe(0);
  },
);

test.concurrent(
  'a second npm start in the same folder says that one is at work; the first goes on',
  { timeout: 120_000 },
  async (context) => {
    const { address, start, startInVain } = await buildSite(context);
    const first = await start();

    const { code, stderr } = await startInVain();

    expect(code).toBe(1);
    expect(stderr).toContain('set MESH_HOME to another folder');
    expect(await isListening(address)).toBe(true);
    expect(await pressCtrlC(first)).toBe(0);
    expect(await isListening(address)).toBe(false);
  },
);

test.concurrent('after a start that was killed the next one just works', { timeout: 120_000 }, async (context) => {
  const { env, address, start, codesOn } = await buildSite(context);
  const first = await start();
  await runMesh(failure('e-1'), env);
  await codesOn('e-1');
  signalGroup(first.child.pid, 'SIGKILL');
  await first.finished;
  expect(await isListening(address)).toBe(true);

  const second = await start();
  await runMesh(failure('e-2'), env);

  expect(await codesOn('e-2')).toEqual(['cooldown', 'cooldown', 'shadow']);
  expect(await pressCtrlC(second)).toBe(0);
  expect(await isListening(address)).toBe(false);
});

test.concurrent('a start whose server ends says so, and ends', { timeout: 120_000 }, async (context) => {
  const { home, start } = await buildSite(context);
  const running = await start();

  const { pid } = JSON.parse(await readFile(join(home, 'temporal-server.json'), 'utf8')) as { pid: number };
  process.kill(pid, 'SIGKILL');

  const { code, stderr } = await running.finished;
  expect(code).toBe(1);
  expect(stderr).toContain('The Temporal server ended. Stopping; start again to go on.');
  expect(await readdir(home)).not.toContain('temporal-server.json');
});

test.concurrent('a taken port is explained', { timeout: 60_000 }, async (context) => {
  const { env, address, startInVain } = await buildSite(context);
  const squatter = createServer();
  await new Promise<void>((resolve) => squatter.listen(Number(env['MESH_TEMPORAL_PORT']), '127.0.0.1', resolve));

  const { code, stderr } = await startInVain();
  squatter.close();

  expect(code).toBe(1);
  expect(stderr.trim()).toBe(
    `Port ${env['MESH_TEMPORAL_PORT']} for Temporal is taken by another program. Set MESH_TEMPORAL_PORT to a free port, ` +
      `or TEMPORAL_ADDRESS=${address} if that is a Temporal server to use.`,
  );
});

test.concurrent(
  'a state folder that cannot be written is told at once, and no server stays behind',
  { timeout: 60_000 },
  async (context) => {
    const { home, address, startInVain } = await buildSite(context);
    const mark = join(home, 'temporal-server.json');
    await mkdir(mark);
    await writeFile(join(home, 'file'), '');
    // Where nothing can be made, whoever runs it: Node's own way to make folders never ends there.
    const nowhere = existsSync('/proc') ? '/proc/nowhere' : join(home, 'file');

    // One after the other: each is to be quick by itself.
    const marked = await startInVain();
    expect(await isListening(address)).toBe(false);
    const lost = await startInVain({ MESH_HOME: nowhere });
    const inFile = await startInVain({ MESH_HOME: join(home, 'file', 'home') });

    expect([marked.code, lost.code, inFile.code]).toEqual([1, 1, 1]);
    expect(marked.stderr.trim()).toBe(
      `${mark} cannot be written: a folder stands in its place.\nRemove that folder, or set MESH_HOME to another folder.`,
    );
    expect(lost.stderr).toContain(`${join(nowhere, 'worker.log')} cannot be written: `);
    expect(lost.stderr).toContain('set MESH_HOME to another folder.');
    expect(inFile.stderr).toContain(`${join(home, 'file')} is a file, not a folder.`);
  },
);

test.concurrent(
  'rules that are broken at the start are loud, and hold events until they are mended',
  { timeout: 90_000 },
  async (context) => {
    const { home, env, start, codesOn } = await buildSite(context);
    const rules = join(home, 'rules.yaml');
    env['MESH_RULES'] = rules;
    await writeFile(
      rules,
      'rules:\n  - id: r\n    triger: { event: TaskCompleted }\n    actions: [{ type: notify_team }]\n',
    );
    const running = await start();
    expect(running.output().stderr).toContain('rules[0].triger: unknown key "triger" (did you mean "trigger"?)');
    expect(running.output().stdout).toContain('events are held until it is mended');
    await runMesh(['send', '--id', 'e-1', '--event', 'TaskCompleted'], env);

    await writeFile(
      rules,
      'rules:\n  - id: r\n    trigger: { event: TaskCompleted }\n    actions: [{ type: notify_team }]\n',
    );

    expect(await codesOn('e-1')).toEqual(['fire']);
    expect(running.output().stderr).toContain('Rules loaded');
    expect(await pressCtrlC(running)).toBe(0);
  },
);

test.concurrent(
  'a variable that is not one of ours is reported, a wrong value refused',
  { timeout: 60_000 },
  async (context) => {
    const { startInVain } = await buildSite(context);

    const { code, stderr } = await startInVain({ MESH_RULEZ: 'x', MESH_UI_PORT: 'eighty' });

    expect(code).toBe(1);
    expect(stderr).toContain('MESH_RULEZ is not a variable of the mesh: did you mean MESH_RULES?');
    expect(stderr).toContain('MESH_UI_PORT: expected a port from 1 to 65535, found "eighty"');
  },
);

test.concurrent('no server where one was named: one line that says so', { timeout: 60_000 }, async (context) => {
  const { env, startInVain } = await buildSite(context);
  const nowhere = { TEMPORAL_ADDRESS: '127.0.0.1:9' };

  const [sent, run] = await Promise.all([
    runMesh(['send', '--event', 'TaskCompleted'], { ...env, ...nowhere }),
    startInVain(nowhere),
  ]);

  const explanation = 'Temporal is not reachable at 127.0.0.1:9: check TEMPORAL_ADDRESS and that the server runs.\n';
  expect(sent).toMatchObject({ code: 2, stderr: explanation });
  expect(run).toMatchObject({ code: 1, stderr: explanation });
});

interface Site {
  home: string;
  env: Record<string, string>;
  /** Of Temporal. */
  address: string;
  gateway: string;
  start(): Promise<Running>;
  /** Starts what is to end by itself. */
  startInVain(more?: Record<string, string>): Promise<Finished>;
  codesOn(id: string): Promise<string[]>;
}

/** A state folder and ports for one test, and an end of all that it started. */
async function buildSite({ onTestFinished }: TestContext): Promise<Site> {
  const home = await mkdtemp(join(tmpdir(), 'mesh-start-'));
  const [port, uiPort, gatewayPort] = [await freePort(), await freePort(), await freePort()];
  const address = `127.0.0.1:${port}`;
  const env: Record<string, string> = {
    MESH_HOME: home,
    MESH_TEMPORAL_PORT: String(port),
    MESH_UI_PORT: String(uiPort),
    MESH_GATEWAY_PORT: String(gatewayPort),
  };
  const started: Running[] = [];
  onTestFinished(async () => {
    for (const { child } of started) signalGroup(child.pid, 'SIGKILL');
    await rm(home, { recursive: true, force: true });
  });

  const run = (more: Record<string, string> = {}) => {
    const running = startNode(['worker/bootstrap.mjs', 'start'], { ...env, ...more });
    started.push(running);
    return running;
  };
  return {
    ...{ home, env, address, gateway: `http://127.0.0.1:${gatewayPort}` },
    async start() {
      const running = run();
      await eventually(
        'banner',
        () => (running.output().stdout.includes('Ctrl-C stops everything') ? true : undefined),
        60_000,
      );
      return running;
    },
    startInVain: (more) => run(more).finished,
    codesOn: (id) => codesOn(address, id),
  };
}

/** Ctrl-C in a terminal goes to the whole process group. */
async function pressCtrlC(running: Running): Promise<number | null> {
  signalGroup(running.child.pid, 'SIGINT');
  return (await running.finished).code;
}

/** A worker that was killed is noticed after 10 s; only then does the next one judge. */
const AFTER_KILL_MS = 60_000;

async function codesOn(address: string, id: string): Promise<string[]> {
  const mesh = await connectMesh({ connection: { address, namespace: 'default', options: {}, isGiven: true } });
  try {
    return await eventually(
      `verdicts on ${id}`,
      async () => {
        const verdicts = await mesh.verdicts(id);
        return verdicts.length > 0 ? verdicts.map((one) => (one.verdict === 'fire' ? 'fire' : one.code)) : undefined;
      },
      AFTER_KILL_MS,
    );
  } finally {
    await mesh.close();
  }
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It has ended already.
  }
}

async function isListening(where: string): Promise<boolean> {
  const [host = '', port = ''] = where.split(':');
  return new Promise((resolve) => {
    const socket = connect(Number(port), host, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
