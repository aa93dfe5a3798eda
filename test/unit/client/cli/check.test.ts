import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../../../support/temp-folder.js';
import { runMesh } from './run-mesh.js';

const GOOD = 'rules:\n  - id: a\n    trigger: { event: Stop }\n    actions: [{ type: notify_team }]\n';
const BROKEN =
  'maxChainDepth: 99\nrules:\n  - id: a\n    coolDownMs: 5\n    trigger: { event: Stop }\n    actions: []\n';
const CONFIG = [
  'agents:',
  '  default: { command: [node, gone.mjs] }',
  "  other: { http: { url: 'https://runtime.example', token: '${env:NOT_SET}' } }",
  "teams: { t: { members: [{ name: a, email: 'a@example.com' }] } }",
  'notify: { defaultTeam: t }',
  '',
].join('\n');
const DOUBTFUL = GOOD.replace('Stop', 'Stopp');

describe('mesh check', () => {
  test('calls a good file valid', async () => {
    const run = await check({ 'rules.yaml': GOOD }, ['rules.yaml']);

    expect(run).toEqual({ code: 0, stdout: 'rules.yaml: valid, 1 rule\n', stderr: '' });
  });

  test('names every problem of a broken one, with line, path, what was expected and a hint', async () => {
    const run = await check({ 'rules.yaml': BROKEN }, ['rules.yaml']);

    expect(run).toEqual({
      code: 1,
      stdout: [
        'rules.yaml:1: maxChainDepth: expected a whole number from 1 to 10, found 99',
        'rules.yaml:6: rules[0].actions: expected at least one action, found an empty list',
        'rules.yaml:4: rules[0].coolDownMs: unknown key "coolDownMs" (did you mean "cooldownMs"?)',
        'rules.yaml: 3 problems',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  test('warns of what is most likely not meant, and does not fail for it', async () => {
    const run = await check({ 'rules.yaml': DOUBTFUL }, ['rules.yaml']);

    expect(run.code).toBe(0);
    expect(run.stdout).toBe(
      'warning: rules.yaml:3: rules[0].trigger.event: no runtime known to the mesh sends "Stopp" (did you mean "Stop"?)\nrules.yaml: valid, 1 rule\n',
    );
  });

  test('refuses a rule with more actions than there may be, and warns of more rules than one event may fire', async () => {
    const rules = (count: number, actions: number) =>
      JSON.stringify({
        rules: Array.from({ length: count }, (_, index) => ({
          id: `r${index}`,
          trigger: { event: 'Stop' },
          actions: Array.from({ length: actions }, () => ({ type: 'notify_team', teamName: 't' })),
        })),
      });
    const files = { 'most.json': rules(50, 20), 'many.json': rules(51, 1), 'long.json': rules(1, 21) };
    const [most, many, long] = await Promise.all(Object.keys(files).map((file) => check(files, [file])));

    expect(most).toMatchObject({ code: 0, stdout: 'most.json: valid, 50 rules\n' });
    expect(many?.code).toBe(0);
    expect(many?.stdout).toContain(
      'one Stop with outcome success may fire 51 rules, and the most that one event may fire',
    );
    expect(long?.code).toBe(1);
    expect(long?.stdout).toContain(
      'rules[0].actions: has 21 actions, the most is 20 (split the rule in two with the same trigger and condition)',
    );
  });

  test('fails for a warning when it is to be strict, and says so', async () => {
    const [strict, strictAndGood] = await Promise.all([
      check({ 'rules.yaml': DOUBTFUL }, ['rules.yaml', '--strict']),
      check({ 'rules.yaml': GOOD }, ['rules.yaml', '--strict']),
    ]);

    expect([strict.code, strictAndGood.code]).toEqual([1, 0]);
    const said = [strict, strictAndGood].map(({ stdout }) => stdout.trimEnd().split('\n').at(-1));
    expect(said).toEqual([
      'rules.yaml: valid, 1 rule; fails because of 1 warning (--strict)',
      'rules.yaml: valid, 1 rule',
    ]);
  });

  test('prints one JSON object per file for programs', async () => {
    const run = await check({ 'a.yaml': GOOD, 'b.yaml': BROKEN }, ['a.yaml', 'b.yaml', '--json']);

    const results = run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(run.code).toBe(1);
    expect(results).toEqual([
      { file: 'a.yaml', valid: true, rules: 1, problems: [], warnings: [] },
      expect.objectContaining({ file: 'b.yaml', valid: false, rules: 0 }),
    ]);
    expect(results[1]).toHaveProperty('problems.0', {
      file: 'b.yaml',
      line: 1,
      path: 'maxChainDepth',
      message: 'expected a whole number from 1 to 10, found 99',
      expected: 'a whole number from 1 to 10',
    });
  });

  test('checks every rule file of a folder', async () => {
    const run = await check(
      { 'rules/b.json': '{}', 'rules/a.yaml': GOOD, 'rules/c.yml': GOOD, 'rules/notes.txt': 'no rules' },
      ['rules'],
    );

    expect(run).toEqual({
      code: 0,
      stdout: 'rules/a.yaml: valid, 1 rule\nrules/b.json: valid, 0 rules\nrules/c.yml: valid, 1 rule\n',
      stderr: '',
    });
  });

  test('takes the configuration of the mesh, which often lies beside the rules, for what it is', async () => {
    const run = await check({ 'config/rules.yaml': GOOD, 'config/mesh.yaml': CONFIG }, ['config']);

    expect({ ...run, stdout: run.stdout.replace(/^warning: .*\n/gm, '') }).toEqual({
      code: 0,
      stdout: 'config/mesh.yaml: valid, 2 agent types, 1 team\nconfig/rules.yaml: valid, 1 rule\n',
      stderr: '',
    });
  });

  test('checks the configuration too, and what of it is not there', async () => {
    const config = CONFIG.replace(", email: 'a@example.com'", '');
    const run = await check({ 'rules.yaml': GOOD, 'own.yaml': config }, ['rules.yaml'], { MESH_CONFIG: 'own.yaml' });

    expect({ ...run, stdout: run.stdout.replace(/no file .+\/gone\.mjs/, 'no file …/gone.mjs') }).toEqual({
      code: 0,
      stdout: [
        'rules.yaml: valid, 1 rule',
        'warning: own.yaml:4: teams.t.members: no member has an email: the channel "email" reaches nobody (give each member an email, or the team other channels)',
        'warning: own.yaml:2: agents.default.command[1]: there is no file …/gone.mjs here',
        'warning: own.yaml:3: agents.other.http.token: ${env:NOT_SET} cannot be read here: environment variable NOT_SET is not set',
        'own.yaml: valid, 2 agent types, 1 team',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  test('warns of a signing secret that is none, and does not show it', async () => {
    const channel = "channels: [{ type: webhook, url: 'https://hooks.example', secret: '${env:HOOK_SECRET}' }]";
    const config = CONFIG.replace(' }] } }', ` }], ${channel} } }`);
    const run = await check({ 'mesh.yaml': config }, ['mesh.yaml'], { HOOK_SECRET: 'my secret!' });

    expect(run.stdout).toContain(
      'warning: mesh.yaml:4: teams.t.channels[0].secret: ${env:HOOK_SECRET} is not whsec_ and a key in Base64',
    );
    expect(run.stdout).not.toContain('my secret!');
  });

  test('warns of rules that name teams or people whom the configuration does not have', async () => {
    const rules = GOOD.replace('notify_team', 'notify_team, teamName: tt').replace(
      '}]',
      '}, { type: notify_team, recipients: [bob] }]',
    );
    const files = { 'rules.yaml': rules, 'mesh.yaml': CONFIG, 'other/mesh.yaml': CONFIG };

    const [together, several] = await Promise.all([
      check(files, ['rules.yaml', 'mesh.yaml', '--strict']),
      check(files, ['rules.yaml', 'mesh.yaml', 'other/mesh.yaml']),
    ]);

    expect(together.code).toBe(1);
    expect(together.stdout.split('\n').slice(0, 3)).toEqual([
      'warning: rules.yaml:4: rules[0].actions[0].teamName: mesh.yaml has no team "tt": this tells nobody (teams there: t)',
      'warning: rules.yaml:4: rules[0].actions[1].recipients: no team of mesh.yaml has a member "bob" (members: a)',
      'rules.yaml: valid, 1 rule; fails because of 2 warnings (--strict)',
    ]);
    // Nobody knows which of the two these rules will meet.
    expect(several.stdout.split('\n')[0]).toBe('rules.yaml: valid, 1 rule');
  });

  test('without a file checks what the settings name', async () => {
    const files = { 'config/rules.yaml': GOOD, 'config/mesh.yaml': 'agent: {}' };

    const [broken, strict] = await Promise.all([
      check(files, []),
      check({ ...files, 'config/mesh.yaml': CONFIG }, ['--strict', '--json']),
    ]);

    expect(broken).toEqual({
      code: 1,
      stdout:
        'config/rules.yaml: valid, 1 rule\n' +
        'config/mesh.yaml:1: agent: unknown key "agent" (did you mean "agents"?)\nconfig/mesh.yaml: 1 problem\n',
      stderr: '',
    });
    expect(strict.code).toBe(1);
    expect(JSON.parse(strict.stdout.trimEnd().split('\n')[1] ?? '')).toMatchObject({
      ...{ file: 'config/mesh.yaml', valid: true, agents: 2, teams: 1 },
      warnings: [{ path: 'agents.default.command[1]' }, { path: 'agents.other.http.token' }],
    });
  });

  test('a configuration that is named must be there', async () => {
    const run = await check({ 'rules.yaml': GOOD }, ['rules.yaml'], { MESH_CONFIG: 'nowhere.yaml' });

    expect(run.code).toBe(1);
    expect(run.stdout).toContain('nowhere.yaml: file not found\nnowhere.yaml: 1 problem\n');
  });

  test('reads standard input', async () => {
    const folder = tempFolder();

    const run = await runMesh(['check', '-'], { cwd: folder, stdin: 'rules: 5\n' });

    expect(run).toEqual({
      code: 1,
      stdout: 'standard input:1: rules: expected a list of rules, found 5\nstandard input: 1 problem\n',
      stderr: '',
    });
  });

  test.each<[string, Record<string, string>, string[], string]>([
    ['a folder without rule files', { 'rules/x.txt': '' }, ['rules'], 'rules: holds no .yaml, .yml or .json file\n'],
  ])('says what is wrong with %s', async (_, files, args, stderr) => {
    expect(await check(files, args)).toEqual({ code: 1, stdout: '', stderr });
  });

  test('a file that is not there does not hide what is said of the others', async () => {
    const run = await check({ 'rules.yaml': GOOD }, ['nowhere.yaml', 'rules.yaml']);

    expect(run).toEqual({
      code: 1,
      stdout: 'nowhere.yaml: file not found\nnowhere.yaml: 1 problem\nrules.yaml: valid, 1 rule\n',
      stderr: '',
    });
  });

  test('called with an unknown option explains itself without a stack trace', async () => {
    const run = await check({ 'rules.yaml': GOOD }, ['rules.yaml', '--stric']);

    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/^error: /);
    expect(run.stderr).not.toMatch(/^\s+at /m);
  });

  test('needs no Temporal settings, and is not stopped by broken ones', async () => {
    const folder = tempFolder();
    const env = { TEMPORAL_ADDRESS: 'x:1', TEMPORAL_TLS_CLIENT_CERT_PATH: '/nowhere/cert.pem' };

    const run = await runMesh(['check', 'nowhere.yaml'], { cwd: folder, env });

    expect(run).toEqual({ code: 1, stdout: 'nowhere.yaml: file not found\nnowhere.yaml: 1 problem\n', stderr: '' });
  });
});

async function check(files: Record<string, string>, args: string[], env: Record<string, string> = {}) {
  const folder = tempFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return runMesh(['check', ...args], { cwd: folder, env });
}
