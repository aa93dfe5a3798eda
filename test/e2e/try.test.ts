import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { makeStartNotice } from '#adapters/temporal/start-notice.js';
import { connectMesh, type Mesh } from '#client/mesh.js';
import { remediationId } from '#contract/ids.js';
import { TASK_QUEUE } from '#contract/names.js';
import { type DevServer, freePort, startDevServer } from '#worker/dev/dev-server.js';
import { writeAgent } from '../support/agent-scripts.js';
import { eventually } from '../support/eventually.js';
import { type HttpTarget, startHttpTarget } from '../support/http-target.js';
import { mailingThrough, type MailServer, startMailServer } from '../support/mail-server.js';
import { type Finished, runMesh, startNode } from '../support/run-command.js';
import { startWorkerProcess, type WorkerProcess } from '../support/worker-process.js';

// `mesh try` and `mesh dead`, as people run them. The tests build on one another: first there is no worker, then one, then none.

const RULES = {
  maxChainDepth: 3,
  rules: [
    {
      id: 'everything',
      trigger: { event: 'TaskCompleted', outcome: 'failed' },
      condition: { errorIncludes: ['timeout'] },
      cooldownMs: 60_000,
      cooldownBy: ['session'],
      actions: [
        {
          type: 'spawn_fallback_agent',
          id: 'agent',
          agentType: 'own',
          promptTemplate: 'Mend this: ${ERROR}',
          description: 'Mend ${TASK_SUBJECT}',
        },
        {
          type: 'notify_team',
          id: 'tell',
          recipients: ['alice', 'nobody'],
          summary: 'Broken: ${TASK_SUBJECT}',
          messageTemplate: 'The agent: ${AGENT_OUTCOME}',
        },
        { type: 'warm_remote_capacity', id: 'warm', ensure: 2 },
      ],
    },
    {
      id: 'mail',
      mode: 'off',
      trigger: { event: 'TaskCompleted' },
      actions: [
        { type: 'notify_team', id: 'tell', teamName: 'mail', summary: 'Broken: ${TASK_SUBJECT}' },
        { type: 'notify_team', id: 'never', teamName: 'mail', enabled: false },
      ],
    },
    {
      id: 'tells',
      trigger: { event: 'SessionEnd' },
      actions: [{ type: 'notify_team', teamName: 'mail' }],
    },
    {
      id: 'fails',
      trigger: { event: 'TaskCompleted' },
      actions: [{ type: 'spawn_fallback_agent', id: 'agent', agentType: 'failing', retry: { maxAttempts: 1 } }],
    },
    {
      id: 'runs-long',
      trigger: { event: 'TaskCompleted' },
      actions: [{ type: 'spawn_fallback_agent', id: 'agent', agentType: 'long' }],
    },
  ],
};

const EVENT = {
  event: 'TaskCompleted',
  outcome: 'failed',
  session: 's-1',
  payload: { task_id: '7', task_subject: 'Build', error: 'timeout after 30 s', api_key: 'planted-in-the-payload' },
};

let folder: string;
let server: DevServer;
let worker: WorkerProcess | undefined;
let mail: MailServer;
let target: HttpTarget;
let mesh: Mesh;
let agent: { runsFile: string };
let env: Record<string, string>;

/** Workflow id of the try that failed. */
let failedTry: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mesh-try-'));
  [mail, target] = await Promise.all([startMailServer(), startHttpTarget()]);
  const { command, runsFile } = await writeAgent(
    folder,
    'if (process.argv[2] === "long") setInterval(() => {}, 1000);',
  );
  agent = { runsFile };
  await writeFile(join(folder, 'mesh.yaml'), JSON.stringify(mailingThrough(mail.url, configFor(command, target.url))));
  await writeFile(join(folder, 'rules.json'), JSON.stringify(RULES));
  await writeFile(join(folder, 'event.json'), JSON.stringify(EVENT));
  server = await startDevServer({
    binary: inject('temporalBinary'),
    port: await freePort(),
    databaseFile: join(folder, 'temporal.db'),
    namespace: 'default',
  });
  env = {
    TEMPORAL_ADDRESS: server.address,
    MESH_HOME: join(folder, 'home'),
    MESH_RULES: join(folder, 'rules.json'),
    MESH_CONFIG: join(folder, 'mesh.yaml'),
    PLANTED_TOKEN: 'planted-in-the-environment',
  };
  mesh = await connectMesh({
    connection: { address: server.address, namespace: 'default', options: {}, isGiven: true },
  });
});

afterAll(async () => {
  await worker?.stop();
  await mesh.close();
  await server.stop();
  await Promise.all([mail.close(), target.close()]);
  await rm(folder, { recursive: true, force: true });
});

/** Every kind of launcher, channel and bridge, all of them at the same server. */
function configFor(command: string[], url: string): unknown {
  return {
    agents: {
      own: { command, fallbacks: ['runtime', 'workflow'] },
      runtime: { http: { url: `${url}/agents?key=1`, token: '${env:PLANTED_TOKEN}' } },
      workflow: { temporal: { workflowType: 'mend', taskQueue: 'agents' } },
      failing: { command: [...command.slice(0, 1), '-e', 'process.exit(7)'] },
      long: { command: [...command, 'long'] },
    },
    teams: {
      all: {
        members: [
          { name: 'alice', email: 'alice@example.com' },
          { name: 'bob', email: 'bob@example.com' },
        ],
        channels: [
          { type: 'email' },
          { type: 'slack', webhook: '${env:NOT_SET}' },
          { type: 'pagerduty', routingKey: '${env:PLANTED_TOKEN}', url: `${url}/pagerduty` },
          { type: 'webhook', url: `${url}/webhook`, secret: '${env:PLANTED_TOKEN}' },
          { type: 'inbox', folder: 'inboxes' },
        ],
      },
      mail: { members: [{ name: 'alice', email: 'alice@example.com' }] },
    },
    notify: { defaultTeam: 'all' },
    bridge: { url: `${url}/bridge`, token: '${env:PLANTED_TOKEN}' },
    outbound: { privateHosts: ['127.0.0.1'] },
  };
}

function tryRule(rule: string, ...options: string[]): Promise<Finished> {
  return runMesh(['try', rule, '--event', join(folder, 'event.json'), ...options], env);
}

describe('a dry run', () => {
  test('shows everything, opens no connection and starts nothing', async () => {
    const temporal = await startHttpTarget();
    const anywhere = { ...env, TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}` };
    const args = ['try', 'everything', '--dry-run', '--event', join(folder, 'event.json')];

    const [shown, asJson] = await Promise.all([runMesh(args, anywhere), runMesh([...args, '--json'], anywhere)]);

    expect(shown).toMatchObject({ code: 0, stderr: '' });
    const connections = [temporal.connections(), target.connections(), mail.connections()];
    expect(connections).toEqual([0, 0, 0]);
    expect(await readFile(agent.runsFile, 'utf8')).toBe('');
    await temporal.close();

    for (const text of EXPECTED) expect(shown.stdout).toContain(text);
    expect(shown.stdout).not.toContain('planted');
    const { actions, ...judged } = JSON.parse(asJson.stdout);
    expect(judged).toMatchObject({
      rule: 'everything',
      verdicts: [{ verdict: 'fire' }, { verdict: 'fire' }, { verdict: 'fire' }],
      guards: { cooldown: { ms: 60_000, label: 'session=s-1' }, depth: { is: 0, max: 3 } },
    });
    const steps = actions.flatMap((action: { steps: { what: string }[] }) => action.steps.map(({ what }) => what));
    expect(steps).toEqual([
      ...['launcher own', 'launcher runtime', 'launcher workflow'],
      ...['email/alice', 'slack/all', 'pagerduty/all', 'webhook/all', 'inbox/alice'],
      ...['request', 'request', 'request', 'request', 'lease', 'request'],
    ]);
    expect(asJson.stdout).not.toContain('planted');
  });

  test('needs no server, and says why a rule would not fire', async () => {
    await writeFile(join(folder, 'other.json'), JSON.stringify({ ...EVENT, outcome: 'success' }));
    const nowhere = { ...env, TEMPORAL_ADDRESS: '127.0.0.1:1' };

    const run = await runMesh(['try', 'everything', '--dry-run', '--event', join(folder, 'other.json')], nowhere);

    expect(run).toMatchObject({ code: 0, stderr: '' });
    const why = 'trigger found outcome success, wants failed\n';
    expect(run.stdout).toContain(`the rule does not look at this event: ${why}`);
    expect(run.stdout).toContain('Action agent (spawn_fallback_agent): would run if the rule fired\n');
    const end = `For this event nothing would run, since the rule does not look at it: ${why}`;
    expect(run.stdout.endsWith(end)).toBe(true);
  });
});

const EXPECTED = [
  'Match    the rule looks at this event\n',
  'Verdict  agent: fires\n         tell: fires\n         warm: fires\n',
  'Guards   the rule cools down for 60 s for session=s-1\n',
  'prompt: Mend this: timeout after 30 s\n',
  "MESH_DESCRIPTION='Mend Build'\n",
  'launcher runtime, when own has failed for good: POST http://127.0.0.1:',
  '/agents\n',
  'authorization: Bearer ${env:PLANTED_TOKEN}\n',
  'launcher workflow, when runtime has failed for good: workflow mend on task queue agents, with the id remediation/',
  'email/alice: alice <alice@example.com> (mail server smtp://127.0.0.1:',
  '    subject: Broken: Build\n',
  'The agent:\n',
  'how agent ends, a dry run cannot know: it is shown as not begun\n',
  'slack/all: Slack, incoming webhook ${env:NOT_SET}\n',
  '"routing_key": "${env:PLANTED_TOKEN}"',
  'inbox/alice: alice, inbox inboxes/all/inboxes/alice.json\n',
  '/bridge/v1/capacity\n',
  '"ensure": 2',
  'which gives the capacity back after 15 min\n',
  'request, at the end of the lease: POST http://127.0.0.1:',
  '/bridge/v1/release\n',
  'tell: not in the team: nobody\n',
  '${env:NOT_SET} cannot be read here: environment variable NOT_SET is not set\n',
  'Nothing was sent or started: this was a dry run.\n',
];

test('for real needs a worker, and says how to get one', async () => {
  expect(await tryRule('mail')).toEqual({
    code: 3,
    stdout: '',
    stderr: 'no worker runs, and nothing was started: start one with `npm start`\n',
  });
  expect((await mesh.remediations()).remediations).toEqual([]);
});

describe('for real, with a worker', () => {
  beforeAll(async () => {
    worker = await startWorkerProcess({
      address: server.address,
      folder,
      settings: {
        rules: join(folder, 'rules.json'),
        config: join(folder, 'mesh.yaml'),
        home: join(folder, 'home'),
      },
    });
    // It says that it is there before it has asked for work.
    await eventually('its first question', async () => (await mesh.health()).workers > 0 || undefined);
  });

  test('runs the actions of a rule that is off, past the guards, and shows what came of it', async () => {
    const { code, stdout, stderr } = await tryRule('mail');

    expect({ code, stderr: stderr.replace(/try-[\da-f-]+/g, 'ID') }).toEqual({
      code: 0,
      stderr: [
        'Started remediation/default/mail/ID. Ctrl-C leaves it running.',
        ...stderr.split('\n').filter((line) => line.startsWith('tell: running')),
        'tell: executed: Team notification sent to 1 recipient(s); mailed through 127.0.0.1',
        '',
      ].join('\n'),
    });
    expect(stdout).toMatch(/^Remediation of rule mail, started by hand: executed\n/);
    expect(mail.mails.map(({ to }) => to)).toEqual([['alice@example.com']]);
    expect(mail.connections()).toBe(1);
    const listed = await eventually('it in the list', async () =>
      (await mesh.remediations()).remediations.find(({ outcome }) => outcome === 'executed'),
    );
    expect(listed).toMatchObject({ rule: 'mail', source: 'mesh-try' });
    // No watch has heard of it: nothing is armed.
    await expect(mesh.status()).rejects.toMatchObject({ code: 'not-found' });
  });

  test('starts nothing for an event that the rule does not look at', async () => {
    await writeFile(join(folder, 'other.json'), JSON.stringify({ ...EVENT, event: 'Stop' }));

    expect(await runMesh(['try', 'mail', '--event', join(folder, 'other.json')], env)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'rule mail does not look at this event: trigger wants TaskCompleted\n' +
        'Nothing was started. --dry-run shows all the same what it would do.\n',
    });
  });

  test('ends with exit code 1 when an action fails, and leaves the id of the event to the event', async () => {
    await writeFile(join(folder, 'event.json'), JSON.stringify({ ...EVENT, id: 'with-an-id' }));

    const failed = await tryRule('fails', '--json');

    expect(failed.code).toBe(1);
    const shown = JSON.parse(failed.stdout) as { id: string; eventId: string };
    expect(shown).toMatchObject({ outcome: 'failed', isTry: true });
    expect(shown.eventId).toMatch(/^try-/);
    failedTry = shown.id;
    expect(failedTry).toBe(remediationId('default', 'fails', shown.eventId));
  });

  test('leaves it running on Ctrl-C, and says how to go on', async () => {
    await writeFile(join(folder, 'event.json'), JSON.stringify({ ...EVENT, id: 'long' }));
    const running = startNode(['worker/mesh.mjs', 'try', 'runs-long', '--event', join(folder, 'event.json')], env);
    await eventually('news of the agent', () => running.output().stderr.includes('agent: running') || undefined);

    running.child.kill('SIGINT');
    const { code, stdout, stderr } = await running.finished;

    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    const [, id = ''] = /To see how it stands: npx mesh show (\S+)\n/.exec(stderr) ?? [];
    expect(id).toMatch(/^remediation\/default\/runs-long\/try-/);
    expect(stderr).toContain('It goes on without this command.\n');
    expect(stderr.endsWith(`To end it: npx mesh abort ${id}\n`)).toBe(true);
    expect((await mesh.remediation(id)).outcome).toBe('running');
    const runs = await eventually(
      'run of the agent',
      async () => (await readFile(agent.runsFile, 'utf8')) || undefined,
    );
    expect(runs).toMatch(new RegExp(`^${id}/agent \\d+\n$`));
    await mesh.abort(id);
    await eventually('its end', async () => (await mesh.remediation(id)).outcome === 'aborted' || undefined);
  });
});

test('a tenant is paused before its first event when it is said to be new, without a worker too', async () => {
  const first = await runMesh(['pause', '--new', '--tenant', 'nobody'], env);
  const second = await runMesh(['pause', '--tenant', 'nobody'], env);

  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toContain('it is paused before its first');
  expect(second).toMatchObject({ code: 0, stderr: '' });
  expect(second.stdout).not.toContain('it is paused before its first');
});

describe('mesh dead', () => {
  test('lists what gave up, with why and what to do, without a worker', async () => {
    await failToTell();
    await eventually('the list', async () => ((await mesh.dead()).dead.length === 2 ? true : undefined));
    await worker?.stop();
    worker = undefined;

    const [shown, asJson, other] = await Promise.all([
      runMesh(['dead'], env),
      runMesh(['dead', '--json', '--rule', 'fails'], env),
      runMesh(['dead', '--rule', 'everything'], env),
    ]);

    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toMatch(
      /^(just now|.+ ago) \(.+ UTC\) {2}rule tells {2}digest\/default\/tells\/k\/1\n {2}failed: not/,
    );
    expect(shown.stdout).toContain(` UTC)  rule fails  ${failedTry}\n`);
    expect(shown.stdout).toContain('\n  agent failed: Fallback agent ended with exit code 7\n');
    expect(shown.stdout).toContain(`\n  npx mesh retry ${failedTry}\n`);
    expect(shown.stdout).toContain('\n  npx mesh retry digest/default/tells/k/1\n');
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      dead: [{ kind: 'remediation', id: failedTry, rule: 'fails', failed: [{ action: 'agent' }] }],
    });
    expect(other.stdout).toBe('Nothing gave up: tenant default, rule "everything".\n');
  });

  /** A message of the mesh itself that its receiver refuses for good. */
  async function failToTell(): Promise<void> {
    mail.refuse.set('alice@example.com', 550);
    const connection = await Connection.connect({ address: server.address });
    const at = { firstAt: 1, lastAt: 2 };
    await makeStartNotice(
      new Client({ connection }),
      TASK_QUEUE,
    )({
      ...{ kind: 'digest', id: 'digest/default/tells/k/1', tenant: 'default', rule: 'tells', at: 3 },
      suppressed: { events: 1, sessions: ['s-1'], moreSessions: 0, ...at },
    });
    await connection.close();
  }
});
