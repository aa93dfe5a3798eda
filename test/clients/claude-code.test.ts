import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { claudeEnvironment, installClaudeCode, runClaude } from '../support/claude-code.js';
import { eventually } from '../support/eventually.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { type ModelStub, type ModelTurn, startModelStub } from '../support/model-stub.js';
import { runMesh } from '../support/run-command.js';
import { startMesh, type StartedMesh } from '../support/started-mesh.js';

// The real client from npm, with nothing but its model replaced, in front of the mesh as `npm start` runs it.

const FORMS = ['command', 'http'] as const;
type Form = (typeof FORMS)[number];

const failing = (error: string): ModelTurn[] => [
  { calls: 'Bash', with: { command: `echo "${error}" >&2; exit 7`, description: 'Fetch the data' } },
  { says: 'I gave up.' },
];

const CONVERSATIONS: Record<string, ModelTurn[]> = {
  'Fetch the data.': failing('fetch: connection timed out'),
  'Ask a model that is down.': [{ failsWith: 429, message: 'Too many requests' }],
  'Need help with command.': failing('needs command'),
  'Need help with http.': failing('needs http'),
  'Help with command': failing('helper of command failed too'),
  'Help with http': failing('helper of http failed too'),
};

let program: string;
let root: string;
let folder: string;
let started: StartedMesh;
let mails: MailServer;
let model: ModelStub;
let promptsFile: string;

beforeAll(async () => {
  program = await installClaudeCode();
  root = await mkdtemp(join(tmpdir(), 'mesh-clients-'));
  promptsFile = join(root, 'prompts.txt');
  mails = await startMailServer();
  model = await startModelStub(CONVERSATIONS);
  started = await startMesh(join(root, 'everything'), { rules: rules(), config: await config(), smtpUrl: mails.url });
  for (const form of FORMS) await install(form, helperSettings(form));
});

afterAll(async () => {
  await started.close();
  await model.close();
  await mails.close();
  await rm(root, { recursive: true, force: true });
});

beforeEach(async () => {
  folder = await mkdtemp(join(root, 'test-'));
  mails.mails.length = 0;
  await writeFile(promptsFile, '');
});

afterEach(() => {
  expect(model.unexpected).toEqual([]);
});

test.each(FORMS)('a failure of its tool ends as a remediation, by a hook of the type %s', async (form) => {
  const { session, run } = await runSession('Fetch the data.', await install(form));

  expect(run).toEqual({ code: 0, stdout: 'I gave up.\n', stderr: '' });
  const id = await reportedBy(session);
  expect(await verdictsOn(id)).toEqual(['fetch/agent fire', 'fetch/mail fire']);
  expect(await remediationOf(session)).toMatchObject({ tool: 'Bash', source: 'claude-code', depth: 0 });
  expect(mails.mails).toMatchObject([{ to: ['alice@example.com'] }]);
  expect(mails.mails[0]?.source).toContain('Bash failed');
  expect(await readFile(promptsFile, 'utf8')).toBe('Look into: Exit code 7\nfetch: connection timed out\n');
});

test('hooks of both types for one failure are one event', async () => {
  await install('http', join(folder, 'home', '.claude', 'settings.json'));

  const { session } = await runSession('Fetch the data.', await install('command'));

  const id = await reportedBy(session);
  const verdicts = await eventually('a second judgement', async () => {
    const all = await verdictsOn(id);
    return all.length > 2 ? all : undefined;
  });
  expect(verdicts).toEqual(['fetch/agent fire', 'fetch/mail fire', 'duplicate']);
  await remediationOf(session);
  expect(mails.mails).toHaveLength(1);
});

test('a turn that the model ends is reported, though the client does not wait for that hook', async () => {
  const { session, run } = await runSession('Ask a model that is down.', await install('command'));

  expect(run.code).toBe(1);
  expect(await remediationOf(session)).toMatchObject({ rule: 'model-down', event: 'StopFailure' });
  expect(mails.mails[0]?.source).toContain('The model is down');
});

test.each(FORMS)('a fallback agent that fails as well is one step deeper in the chain: %s', async (form) => {
  const { session } = await runSession(`Need help with ${form}.`, await install(form));

  const remediation = await remediationOf(session);
  expect(remediation).toMatchObject({ rule: `help-${form}`, depth: 0 });
  const { progress } = await started.mesh.remediation(remediation.id);
  const agent = progress?.actions[0]?.agent;
  expect(agent).toMatchObject({ launcher: form, outcome: 'success', outputTail: 'I gave up.' });
  // It works in the session that the mesh chose for it.
  const failed = await reportedBy(agent?.session ?? 'no session');
  expect(await verdictsOn(failed)).toEqual(['max-depth']);
  expect((await started.mesh.verdicts(failed))[0]).toMatchObject({ depth: 1 });
});

test('what is reported while the mesh is down arrives when it is back', { timeout: 120_000 }, async () => {
  const settings = await install('command');
  await started.stop();

  const { session, run } = await runSession('Fetch the data.', settings);
  expect(run).toEqual({ code: 0, stdout: 'I gave up.\n', stderr: '' });
  await started.start();

  await remediationOf(session);
  expect(mails.mails).toHaveLength(1);
});

function rules() {
  const failed = (error: string) => ({
    trigger: { event: 'PostToolUseFailure', outcome: 'failed' },
    condition: { toolNames: ['Bash'], errorIncludes: [error] },
  });
  const fetch = {
    id: 'fetch',
    ...failed('timed out'),
    actions: [
      { id: 'agent', type: 'spawn_fallback_agent', promptTemplate: 'Look into: ${ERROR}' },
      { id: 'mail', type: 'notify_team', summary: 'Bash failed' },
    ],
  };
  const help = FORMS.map((form) => ({
    id: `help-${form}`,
    ...failed(`needs ${form}`),
    actions: [{ type: 'spawn_fallback_agent', agentType: form, promptTemplate: `Help with ${form}` }],
  }));
  const modelDown = {
    id: 'model-down',
    trigger: { event: 'StopFailure', outcome: 'failed' },
    actions: [{ type: 'notify_team', summary: 'The model is down' }],
  };
  const windows = { defaultCooldownMs: 0, defaultDedupWindowMs: 0 };
  return { version: 1, maxChainDepth: 1, ...windows, rules: [fetch, ...help, modelDown] };
}

/** One agent that writes down what it is asked, and two that are the client itself, as the preset starts it. */
async function config() {
  const note = join(root, 'note.mjs');
  await writeFile(
    note,
    `import { appendFileSync, readFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(promptsFile)}, readFileSync(0, 'utf8') + '\\n');`,
  );
  const environment = claudeEnvironment(join(root, 'helpers'), model.url);
  // The program is not installed on this machine: it is found where PATH says.
  const env = { ...environment, PATH: [dirname(program), environment['PATH']].join(delimiter) };
  const helpers = FORMS.map((form) => {
    const args = ['--settings', helperSettings(form), '--allowedTools', 'Bash'];
    return [form, { preset: 'claude-code', args, cwd: root, env }];
  });
  return {
    agents: { default: { command: [process.execPath, note] }, ...Object.fromEntries(helpers) },
    teams: { 'on-call': { members: [{ name: 'alice', email: 'alice@example.com' }] } },
    notify: { defaultTeam: 'on-call' },
  };
}

function helperSettings(form: Form): string {
  return join(root, `helper-${form}.json`);
}

/** As a person does it, from a terminal. */
async function install(form: Form, settings = join(folder, 'settings.json')): Promise<string> {
  const args = ['install', 'claude-code', '--settings', settings, ...(form === 'http' ? ['--http'] : [])];
  const { code, stdout } = await runMesh(args, started.env);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('PostToolUseFailure') as unknown });
  return settings;
}

async function runSession(prompt: string, settings: string) {
  const session = randomUUID();
  const args = ['--session-id', session, '--allowedTools', 'Bash'];
  const run = await runClaude({ program, folder, modelUrl: model.url, prompt, settings, args });
  return { session, run };
}

/** The id of the failed call of a session, once the mesh knows of it. */
async function reportedBy(session: string): Promise<string> {
  return eventually(`a failure in ${session}`, async () => {
    const verdicts = await started.mesh.verdicts();
    return verdicts.find(({ eventId }) => eventId.startsWith(`cc:${session}:PostToolUseFailure:toolu_`))?.eventId;
  });
}

async function verdictsOn(id: string): Promise<string[]> {
  return eventually(`verdicts on ${id}`, async () => {
    const verdicts = await started.mesh.verdicts(id);
    if (verdicts.length === 0) return undefined;
    return verdicts.map((verdict) => {
      const what = [verdict.rule, verdict.action].filter((part) => part !== undefined).join('/');
      return `${what} ${verdict.verdict === 'fire' ? 'fire' : verdict.code}`.trim();
    });
  });
}

/** What was done about a session, once it is done. */
async function remediationOf(session: string) {
  return eventually(`a remediation for ${session}`, async () => {
    const { remediations } = await started.mesh.remediations({ session });
    expect(remediations.length).toBeLessThanOrEqual(1);
    return remediations.find(({ outcome }) => outcome === 'executed');
  });
}
