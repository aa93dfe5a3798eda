import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { remediationId } from '#contract/ids.js';
import { writeAgent } from '../support/agent-scripts.js';
import { type BridgeServer, startBridgeServer } from '../support/bridge-server.js';
import { eventually } from '../support/eventually.js';
import { failedResult } from '../support/failed-result.js';
import { type Finished, runMesh } from '../support/run-command.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';
import { runMesh as runHungUp } from '../unit/client/cli/run-mesh.js';

// The commands for people, as people run them, against a real server and worker.

/** On a busy machine one command takes seconds. */
const MANY_COMMANDS = { timeout: 120_000 };
const WARM = { type: 'warm_remote_capacity', id: 'warm', retry: { maxAttempts: 1 } };

let folder: string;
let bridge: BridgeServer;
let testMesh: TestMesh;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mesh-cli-'));
  bridge = await startBridgeServer();
  const agent = await writeAgent(folder, 'setInterval(() => {}, 1000);');
  testMesh = await startTestMesh({
    rules: {
      defaultCooldownMs: 0,
      defaultDedupWindowMs: 0,
      rules: [
        { id: 'warm-up', trigger: { event: 'TaskCompleted' }, actions: [WARM] },
        {
          id: 'cools-down',
          trigger: { event: 'PostToolUseFailure', outcome: 'failed' },
          condition: { toolNames: ['Bash'] },
          cooldownMs: 3_600_000,
          dedupWindowMs: 3_600_000,
          actions: [WARM],
        },
        { id: 'runs-long', trigger: { event: 'Stop' }, actions: [{ type: 'spawn_fallback_agent', id: 'agent' }] },
        { id: 'first of two', trigger: { event: 'SubagentStop' }, actions: [WARM] },
        { id: 'second of two', trigger: { event: 'SubagentStop' }, actions: [WARM] },
      ],
    },
    config: { agents: { default: { command: agent.command } }, ...bridge.config },
  });
  env = { TEMPORAL_ADDRESS: inject('temporalAddress'), MESH_TENANT: testMesh.tenant };
  // The watch starts with the first event, on the task queue of this test; what the command sends later joins it.
  await testMesh.report({ id: 'first', event: 'SessionStart' });
  await testMesh.judged('first');
});

afterAll(async () => {
  await bridge.close();
  await testMesh.stop();
  await rm(folder, { recursive: true, force: true });
});

const mesh = (...args: string[]): Promise<Finished> => runMesh(args, env);

/** What a command printed with `--json`: one JSON value and nothing else. */
async function json(...args: string[]) {
  const { code, stdout, stderr } = await mesh(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^[^\n]+\n$/);
  return JSON.parse(stdout);
}

/** As an agent does; what `mesh send` says is tested apart. */
async function report(id: string, event: string, payload: Record<string, unknown> = {}): Promise<void> {
  await testMesh.report({ id, event, session: 's-1', payload });
  await testMesh.judged(id);
  // What it has fired is started a moment later.
  for (const { remediation } of await testMesh.verdicts(id)) {
    if (remediation === undefined) continue;
    await eventually(`start of ${remediation}`, () => testMesh.client.workflow.getHandle(remediation).describe());
  }
}

/** The list is written a moment after the end. Asked here, since a command takes half a second. */
async function failedOnes(): Promise<number> {
  return (await testMesh.mesh.remediations({ tenant: testMesh.tenant, outcome: 'failed' })).remediations.length;
}

const idOf = (rule: string, eventId: string) => remediationId(testMesh.tenant, rule, eventId);

describe('mesh why', () => {
  test('explains a fired event, and the command to ask comes with `mesh send`', async () => {
    const event = ['--id', 'fired', '--event', 'TaskCompleted', '--outcome', 'failed'];
    const sent = await mesh('send', ...event, '--session', 's-1', '--payload', '{}');
    expect(sent).toEqual({
      code: 0,
      stdout: `Event fired stored.\nWhat became of it: npx mesh why --tenant ${testMesh.tenant} fired\n`,
      stderr: '',
    });
    await testMesh.result('warm-up', 'fired');

    const { code, stdout } = await mesh('why', '--tenant', testMesh.tenant, 'fired');

    expect(code).toBe(0);
    expect(stdout).toMatch(/^Event fired \(TaskCompleted\), tenant t-/);
    expect(stdout).toMatch(/\nRule warm-up: fired\n {2}warm {2}fire\n/);
    expect(stdout).toMatch(/Its remediation was started .+, took .+: executed\n {4}warm {2}executed: /);
    expect(stdout).toContain(`npx mesh show ${idOf('warm-up', 'fired')}\n`);
    expect(stdout).toContain('Rules that did not look at it:\n  cools-down');
    expect(await json('why', 'fired')).toMatchObject({
      eventId: 'fired',
      tenant: testMesh.tenant,
      state: 'judged',
      verdicts: [{ verdict: 'fire', rule: 'warm-up', remediation: idOf('warm-up', 'fired') }],
      remediations: [{ id: idOf('warm-up', 'fired'), outcome: 'executed' }],
    });
  });

  test('explains one that was cooled down, until when, and how to end that', async () => {
    await report('hot', 'PostToolUseFailure', { tool_name: 'Bash', n: 1 });
    await report('cool', 'PostToolUseFailure', { tool_name: 'Bash', n: 2 });

    const { code, stdout } = await mesh('why', 'cool');

    expect(code).toBe(0);
    expect(stdout).toMatch(/\nRule cools-down: matched, and nothing fired\n {2}warm {2}skip cooldown: rule cooldown/);
    expect(stdout).toMatch(/It ends in \d+ min \(.+ UTC\)\. To end it now: npx mesh rearm --tenant .+ cools-down\n/);
  });

  test('explains one that no rule looks at, and on what each rule missed', async () => {
    await report('missed', 'PostToolUseFailure', { tool_name: 'Edit' });

    const { stdout } = await mesh('why', 'missed');

    expect(stdout).toContain('No rule looks at this event.');
    expect(stdout).toMatch(/ {2}cools-down +toolNames found "Edit", wants Bash\n/);
    expect(stdout).toMatch(/ {2}warm-up +trigger wants TaskCompleted\n/);
  });

  test('counts copies', async () => {
    await testMesh.report({ id: 'fired' }, { id: 'fired' });
    await eventually('copies', async () =>
      (await testMesh.status()).counters.skipped.duplicate === 2 ? true : undefined,
    );

    expect((await mesh('why', 'fired')).stdout).toContain('Reported again 2 times');
  });

  test('of an event that nobody knows says where to look, and fails', async () => {
    const text = await mesh('why', 'nobody');
    const asJson = await mesh('why', 'nobody', '--json');

    expect(text.code).toBe(1);
    expect(text.stdout).toContain('What to do:\n');
    expect(asJson.code).toBe(1);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ state: 'unknown', verdicts: [], remediations: [] });
  });

  test('finds what a forgotten event has started', async () => {
    await report('old', 'TaskCompleted');
    await testMesh.result('warm-up', 'old');
    // Two hundred later verdicts push it out of the log.
    await testMesh.report(...Array.from({ length: 250 }, (_, n) => ({ id: `later-${n}`, event: 'SessionEnd' })));
    await testMesh.judged('later-249');
    expect(await testMesh.verdicts('old')).toEqual([]);

    const { code, stdout } = await mesh('why', 'old');

    expect(code).toBe(0);
    expect(stdout).toContain('It was judged, but its verdicts are no longer kept');
    expect(stdout).toContain('Rule warm-up fired for it:\n  Its remediation was started');
  });
});

describe('mesh status', () => {
  test('tells of each rule what it did, and until when it is quiet', async () => {
    const { code, stdout, stderr } = await mesh('status');

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^Tenant ${testMesh.tenant}: watching\n`));
    expect(stdout).toMatch(/\ncools-down +1 {2}.+ ago \(.+ UTC\) +1 cooldown +in \d+ min/);
    expect(stdout).toMatch(/\nruns-long +0 {2}never hit +- +-\n/);
    expect(stdout).toMatch(/\nLAST EVENTS +NAME +ID +VERDICT\n/);
    expect(stdout).not.toContain('\u001b');
  });

  test('as JSON has what the watch knows, the rules that were never hit, and the runs', async () => {
    const status = await json('status');

    expect(status).toMatchObject({
      tenant: testMesh.tenant,
      paused: null,
      counters: { rules: { 'cools-down': { fired: 1 } } },
      remediations: { running: { remediations: [] }, failed: { remediations: [] } },
    });
    expect([...status.knownRules].sort()).toEqual([
      'cools-down',
      'first of two',
      'runs-long',
      'second of two',
      'warm-up',
    ]);
  });

  test('of a tenant that nobody has reported to says how to begin', async () => {
    expect(await mesh('status', '--tenant', 'nobody')).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(
        'tenant nobody has no watch: no event of it was ever reported here: report one with `npx mesh send`, or give another --tenant\n',
      ) as string,
    });
  });

  test('ends quietly when its reader has seen enough', async () => {
    expect(await runHungUp(['status'], { cwd: folder, env, closeStdout: true })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });
});

describe('a failed remediation', () => {
  test('is found, looked at, retried, and is done then', MANY_COMMANDS, async () => {
    bridge.script.push({ status: 403 });
    await report('broken', 'TaskCompleted', { tool_name: 'Bash' });
    const id = idOf('warm-up', 'broken');
    await failedResult(testMesh.result('warm-up', 'broken'));

    await eventually('failed one in the list', async () => ((await failedOnes()) === 1 ? true : undefined));
    expect((await json('runs', '--failed')).remediations).toMatchObject([
      { id, rule: 'warm-up', outcome: 'failed', tool: 'Bash', session: 's-1' },
    ]);
    const runs = await mesh('runs', '--failed', '--rule', 'warm-up', '--session', 's-1');
    expect(runs.stdout).toMatch(/^STARTED .+ ID\n.+ warm-up +TaskCompleted +Bash \/ s-1 +failed +\d.+ broken\n/);
    expect((await mesh('status')).stdout).toMatch(/1 failed in the last 24 h, .+: npx mesh runs --failed --tenant/);

    const shown = await mesh('show', 'broken');
    expect(shown.stdout).toMatch(/^Remediation of rule warm-up: failed\n/);
    expect(shown.stdout).toMatch(/\nwarm +failed +1 {2}Remote warm-up failed: the bridge answered 403\n/);
    const [, command = ''] = /npx mesh (retry \S+)/.exec(shown.stdout) ?? [];
    expect(command).toBe(`retry ${id}`);

    const retried = await mesh(...command.split(' '));
    expect(retried).toMatchObject({ code: 0, stderr: '' });
    expect(retried.stdout).toMatch(new RegExp(`^Retrying ${id}: warm\\.\n`));
    await eventually('end of the retry', async () =>
      (await testMesh.mesh.remediation(id)).outcome === 'executed' ? true : undefined,
    );
    expect(bridge.requests.filter(({ headers }) => headers['idempotency-key'] === `${id}/warm`)).toHaveLength(2);
    expect((await json('show', id)).progress).toMatchObject({ outcome: 'executed', actions: [{ status: 'executed' }] });

    expect(await mesh('retry', id)).toEqual({
      code: 1,
      stdout: '',
      stderr: `no action of ${id} has failed: \`npx mesh show ${id}\` tells how it stands\n`,
    });
    await eventually('list without it', async () => ((await failedOnes()) === 0 ? true : undefined));
    expect(await json('runs', '--failed')).toEqual({ remediations: [] });
  });

  test('says as JSON what it retries', async () => {
    bridge.script.push({ status: 403 });
    await report('broken-2', 'TaskCompleted');
    await failedResult(testMesh.result('warm-up', 'broken-2'));

    expect(await json('retry', 'broken-2')).toEqual({
      id: idOf('warm-up', 'broken-2'),
      runId: expect.any(String),
      actions: ['warm'],
    });
  });
});

describe('mesh abort', () => {
  test('ends what runs, and refuses what has ended', async () => {
    await report('endless', 'Stop');
    const id = idOf('runs-long', 'endless');
    await eventually('running action', async () =>
      (await testMesh.mesh.remediation(id)).progress?.actions[0]?.status === 'running' ? true : undefined,
    );
    expect((await mesh('why', 'endless')).stdout).toContain(`To act: npx mesh abort ${id}`);

    const aborted = await mesh('abort', 'endless');

    expect(aborted).toMatchObject({ code: 0, stderr: '' });
    expect(aborted.stdout).toMatch(new RegExp(`^Aborting ${id}\\.\n`));
    expect(await testMesh.result('runs-long', 'endless')).toMatchObject({ outcome: 'aborted' });
    expect(await mesh('abort', id)).toEqual({
      code: 1,
      stdout: '',
      stderr: `${id} has ended already (aborted): \`npx mesh show ${id}\` tells how it stands\n`,
    });
  });

  test('says as JSON what it aborts', async () => {
    await report('endless-2', 'Stop');

    expect(await json('abort', 'endless-2')).toEqual({ id: idOf('runs-long', 'endless-2'), aborting: true });
    await testMesh.result('runs-long', 'endless-2');
  });
});

describe('mesh show', () => {
  test('of an event for which several rules fired asks which is meant', async () => {
    await report('twice', 'SubagentStop');
    const ids = ['first of two', 'second of two'].map((rule) => idOf(rule, 'twice'));

    expect(await mesh('show', 'twice')).toEqual({
      code: 1,
      stdout: '',
      stderr: [
        '2 rules fired for event twice: say which remediation is meant',
        ...ids.map((id) => `  npx mesh show ${id}`),
        '',
      ].join('\n'),
    });
    expect((await json('show', ids[1] ?? '')).rule).toBe('second of two');
  });

  test('shows the whole payload when asked to', async () => {
    await report('large', 'TaskCompleted', { list: Array.from({ length: 500 }, (_, n) => n) });

    const [cut, whole] = [await mesh('show', 'large'), await mesh('show', 'large', '--payload')];

    expect(cut.stdout).toContain('… cut; --payload shows all');
    expect(cut.stdout).not.toContain('499');
    expect(whole.stdout).toContain('    499\n');
  });

  test.each([
    [
      'an event that nobody knows',
      'nobody',
      /^no remediation of event nobody is known: ask `npx mesh why --tenant .+`/,
    ],
    [
      'a remediation that is not there',
      'remediation/default/retry/nobody',
      /^there is no remediation remediation\/default\/retry\/nobody: `npx mesh runs` lists those that there are\n$/,
    ],
    ['what is neither', 'watch/default', /^"watch\/default": expected remediation\/<tenant>\/<rule>\/<event id>, or/],
  ])('refuses %s', async (_, run, stderr) => {
    const refused = await mesh('show', run, '--json');

    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(stderr);
  });
});

describe('mesh runs', () => {
  test('goes on page by page, with the command that it prints', async () => {
    const first = await mesh('runs', '--limit', '2', '--rule', 'warm-up');
    expect(first.stdout.trimEnd().split('\n').slice(0, 4)).toHaveLength(4);
    const [, command = ''] = /^More: npx mesh (.+)$/m.exec(first.stdout) ?? [];

    const second = await mesh(...command.split(' '));

    expect(second.code).toBe(0);
    const idsOf = (stdout: string) =>
      stdout
        .split('\n')
        .slice(1, 3)
        .map((line) => line.split(/ +/).at(-1));
    expect(new Set([...idsOf(first.stdout), ...idsOf(second.stdout)]).size).toBe(4);
  });

  test('says when there is none', async () => {
    expect(await mesh('runs', '--rule', `it's nobody`)).toEqual({
      code: 0,
      stdout: `No remediation: tenant "${testMesh.tenant}", rule "it's nobody".\n`,
      stderr: '',
    });
    expect(await json('runs', '--rule', 'nobody')).toEqual({ remediations: [] });
  });

  test('refuses what is no page, and two outcomes at once', async () => {
    expect(await mesh('runs', '--page', 'x')).toMatchObject({ code: 1, stdout: '' });
    expect(await mesh('runs', '--failed', '--running')).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('mesh rearm', () => {
  test('ends the windows of one rule, and says how many there were', async () => {
    const rearmed = await mesh('rearm', 'cools-down');

    expect(rearmed).toMatchObject({ code: 0, stderr: '' });
    expect(rearmed.stdout).toMatch(
      /^Rule cools-down may fire again at once: 1 cooldown window and 1 dedup window ended\.\nTo see the effect: npx mesh status --tenant/,
    );
    await report('hot-again', 'PostToolUseFailure', { tool_name: 'Bash', n: 1 });
    expect(await testMesh.judged('hot-again')).toEqual(['cools-down/warm fire']);
  });

  test('guesses which rule was meant', async () => {
    expect(await mesh('rearm', 'cool-down')).toEqual({
      code: 1,
      stdout: '',
      stderr: `tenant ${testMesh.tenant} has judged nothing by a rule "cool-down" (did you mean "cools-down"?)\n`,
    });
    expect((await mesh('rearm', 'nothing-like-it-at-all')).stderr).toContain('it knows: ');
  });

  test('ends the windows of every rule, and says so as JSON', async () => {
    expect(await json('rearm', '--all')).toEqual({ tenant: testMesh.tenant, ended: { cooldowns: 1, dedups: 1 } });
    expect(await json('rearm', 'cools-down')).toEqual({
      tenant: testMesh.tenant,
      rule: 'cools-down',
      ended: { cooldowns: 0, dedups: 0 },
    });
  });
});

describe('mesh pause', () => {
  test('of a tenant that nobody has reported to stops nothing, and says which there are', async () => {
    const misspelt = `${testMesh.tenant}x`;
    await eventually('the list of tenants', async () =>
      (await testMesh.mesh.tenants()).includes(testMesh.tenant) ? true : undefined,
    );

    const refused = await mesh('pause', '--tenant', misspelt);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      new RegExp(`^Nothing is paused: tenant ${misspelt} .+\n.*Tenants here: .+\n.+ --new --tenant ${misspelt}`),
    );
    expect((await mesh('status', '--tenant', misspelt)).stderr).toContain('Tenants here: ');

    const paused = await mesh('pause', '--new', '--tenant', misspelt);
    expect(paused).toMatchObject({ code: 0, stderr: '' });
    expect(paused.stdout).toContain('it is paused before its first event');
  });

  test('skips every event until `mesh resume`; both say when it is so already', MANY_COMMANDS, async () => {
    expect((await mesh('resume')).stdout).toBe(`Tenant ${testMesh.tenant} is not paused: nothing to do.\n`);

    const paused = await mesh('pause', '--reason', 'deploy');
    expect(paused).toMatchObject({ code: 0, stderr: '' });
    expect(paused.stdout).toMatch(/^Tenant .+ is paused: every event is skipped from now on\.\n/);
    expect((await mesh('status')).stdout).toMatch(
      /^Tenant .+: paused since .+: deploy\nEvery event is skipped\. To go on: npx mesh resume/,
    );
    await report('while-paused', 'TaskCompleted');
    expect((await mesh('why', 'while-paused')).stdout).toMatch(
      /skip paused: tenant is paused: deploy\n {2}The tenant is still paused/,
    );

    expect((await mesh('pause')).stdout).toMatch(/^Tenant .+ is paused already, since .+: deploy\.\n/);
    expect(await json('pause', '--reason', 'deploy')).toEqual({
      tenant: testMesh.tenant,
      paused: true,
      changed: false,
    });
    expect((await mesh('pause', '--reason', 'still')).stdout).toMatch(
      /^Tenant .+: deploy\. It has a new reason now\.\n/,
    );
    expect((await testMesh.status()).paused).toMatchObject({ reason: 'still' });

    const resumed = await mesh('resume');
    expect(resumed).toMatchObject({ code: 0, stderr: '' });
    expect(resumed.stdout).toMatch(/^Tenant .+, paused since .+, is resumed: events are judged again\.\n/);
    expect(await json('resume')).toEqual({ tenant: testMesh.tenant, paused: false, changed: false });
    await report('after-pause', 'TaskCompleted');
    expect(await testMesh.judged('after-pause')).toEqual(['warm-up/warm fire']);
  });
});

describe('mesh send', () => {
  test('takes many events from a file, and says what to ask next', async () => {
    const file = join(folder, 'events.jsonl');
    await writeFile(
      file,
      ['a', 'b', 'c'].map((id) => JSON.stringify({ id: `many-${id}`, event: 'SessionEnd' })).join('\n'),
    );

    const sent = await mesh('send', file);

    expect(sent.stdout).toBe(
      [
        '3 events stored, the first one with id many-a.',
        `What became of it: npx mesh why --tenant ${testMesh.tenant} many-a`,
        `What became of all: npx mesh status --tenant ${testMesh.tenant}`,
        '',
      ].join('\n'),
    );
    expect(await json('send', '--event', 'SessionEnd', '--id', 'many-d')).toEqual({
      ids: ['many-d'],
      watches: [`watch/${testMesh.tenant}`],
    });
  });
});

describe.concurrent('without a worker', () => {
  test(
    'what needs one says so, with an exit code of its own; what does not goes on',
    { timeout: 120_000 },
    async () => {
      await report('endless-3', 'Stop');
      const endless = idOf('runs-long', 'endless-3');
      await testMesh.stopWorker();
      try {
        const [status, runs, paused] = await Promise.all([mesh('status'), mesh('runs', '--json'), mesh('pause')]);
        const aborted = await mesh('abort', endless);
        const shown = await mesh('show', endless);

        expect(status).toEqual({ code: 3, stdout: '', stderr: 'no worker answers: start one with `npm start`\n' });
        expect(runs).toMatchObject({ code: 0, stderr: '' });
        expect(paused.stdout).toContain('No worker answers: it takes effect before anything is judged once one runs.');
        const waits = 'Its abort waits for a worker: what runs is ended then, and nothing more is started.';
        expect(aborted.stdout).toContain(`No worker answers. ${waits}\n`);
        expect(shown.stdout).toContain(`\n${waits}\n`);
      } finally {
        await testMesh.startWorker();
      }
      await eventually('pause', async () => ((await testMesh.status()).paused ? true : undefined));
      await mesh('resume');
    },
  );
});

test.concurrent(
  'without a server every command says in one line how to start it, with an exit code of its own',
  { timeout: 60_000 },
  async () => {
    const commands = [
      ['status'],
      ['why', 'e-1'],
      ['runs', '--json'],
      ['show', 'e-1'],
      ['abort', 'e-1'],
      ['retry', 'e-1'],
      ['rearm', '--all'],
      ['pause'],
      ['resume', '--json'],
    ];

    const answers = await Promise.all(commands.map((args) => runMesh(args, { TEMPORAL_ADDRESS: '127.0.0.1:1' })));

    const stderr = 'Temporal is not reachable at 127.0.0.1:1: check TEMPORAL_ADDRESS and that the server runs.\n';
    expect(answers).toEqual(commands.map(() => ({ code: 2, stdout: '', stderr })));
  },
);
