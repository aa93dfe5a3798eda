import { spawn } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../../support/paths.js';
import { runMesh } from '../../../support/run-command.js';
import { tempFolder } from '../../../support/temp-folder.js';

const EVENTS = ['PostToolUseFailure', 'TaskCompleted', 'SubagentStop', 'StopFailure'];
const HOOK = `${process.execPath} ${join(ROOT, 'worker/mesh.mjs')} hook claude-code`;

describe('mesh install claude-code', () => {
  test('writes a command hook for each event, with whole paths and a time limit', async () => {
    const { file, home, install } = place();

    const { code, stdout, stderr } = await install();

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const command = `${HOOK} --home ${home}`;
    const hook = { type: 'command', command: `${command} || :`, timeout: 10 };
    // Claude Code does not wait for this one, and may signal it before it has begun.
    const insisting = { ...hook, command: `trap : TERM HUP INT; ${command} || ${command} || :` };
    const hooks = Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [hook] }]]));
    expect(read(file)).toEqual({ hooks: { ...hooks, StopFailure: [{ hooks: [insisting] }] } });
    expect(stdout).toContain(`${file} has hooks for ${EVENTS.join(', ')} now.\nUndo: rm ${file}\n`);
    expect(stdout).toContain('--http --print shows it');
    expect(readdirSync(join(file, '..'))).toEqual(['settings.json']);
  });

  test('reports successes only when it is asked to; a later run keeps that up to date', async () => {
    const { file, install } = place();
    await install();
    expect(read(file).hooks).not.toHaveProperty('PostToolUse');

    await install(['--successes']);
    expect(Object.keys(read(file).hooks)).toEqual([...EVENTS, 'PostToolUse']);
    expect(read(file).hooks.PostToolUse).toEqual(read(file).hooks.PostToolUseFailure);

    await install(['--gateway', 'off']);
    expect(read(file).hooks.PostToolUse[0].hooks[0].command).toContain('--gateway off');
  });

  test('writes the settings of this user when no file is named, also where Claude Code was told to keep them', async () => {
    const user = tempFolder();
    const elsewhere = join(user, 'elsewhere');

    await runMesh(['install', 'claude-code'], { HOME: user, MESH_HOME: user });
    await runMesh(['install', 'claude-code'], { HOME: user, MESH_HOME: user, CLAUDE_CONFIG_DIR: elsewhere });

    expect(Object.keys(read(join(user, '.claude', 'settings.json')).hooks)).toEqual(EVENTS);
    expect(Object.keys(read(join(elsewhere, 'settings.json')).hooks)).toEqual(EVENTS);
  });

  test('says in the command what is not as by default', async () => {
    const { file, home, install } = place();
    const commandAfter = async (args: string[], env: Record<string, string> = {}) => {
      await install(args, env);
      return read(file).hooks.SubagentStop[0].hooks[0].command;
    };

    expect(await commandAfter(['--gateway', 'https://mesh.example.com', '--tenant', 'team-a'])).toBe(
      `${HOOK} --home ${home} --gateway https://mesh.example.com --tenant team-a || :`,
    );
    expect(await commandAfter([], { MESH_GATEWAY_PORT: '7999' })).toBe(
      `${HOOK} --home ${home} --gateway http://127.0.0.1:7999 || :`,
    );
    expect(await commandAfter([], { MESH_GATEWAY_PORT: 'off' })).toBe(`${HOOK} --home ${home} --gateway off || :`);
    expect(await commandAfter([], { MESH_GATEWAY_URL: 'http://10.0.0.1:80' })).toBe(
      `${HOOK} --home ${home} --gateway http://10.0.0.1:80 || :`,
    );
    expect(await commandAfter([])).toBe(`${HOOK} --home ${home} || :`);
  });

  test('quotes what a shell would take for something else', async () => {
    const { file, install } = place();
    const home = join(tempFolder(), `it's $HOME`);

    await install([], { MESH_HOME: home });

    expect(read(file).hooks.SubagentStop[0].hooks[0].command).toBe(
      `${HOOK} --home '${home.replace("'", String.raw`'\''`)}' || :`,
    );
  });

  test('a path with characters that cannot be seen stays that path', async () => {
    const { file, install } = place();
    const home = join(tempFolder(), 'a\u200bb');
    await install([], { MESH_HOME: home });

    const { code } = await sh(read(file).hooks.SubagentStop[0].hooks[0].command, '{"hook_event_name":"Stop"}');

    expect(code).toBe(0);
    expect(readdirSync(join(home, 'spool'))).toHaveLength(1);
  });

  test.each(['SubagentStop', 'StopFailure'])('%s: ends with 0 when its Node or its mesh is gone', async (event) => {
    const { file, install } = place();
    await install();
    const { command } = read(file).hooks[event][0].hooks[0];

    for (const gone of [process.execPath, join(ROOT, 'worker/mesh.mjs')])
      expect(await sh(command.replaceAll(gone, '/no/such/path'))).toEqual({ code: 0, stdout: '' });
  });

  test('the line to try it prints says what goes wrong', async () => {
    const { home, install } = place();

    const { stdout } = await install();

    expect(stdout).toContain(` | ${HOOK} --home ${home} --verbose\n`);
  });

  test('keeps everything that is there, character for character', async () => {
    const { file, install } = place();
    const before = `{
    "model": "opus",   "permissions": { "allow": ["Bash(ls:*)", "Read"] },
    "big": 12345678901234567890, "text": "caf\\u00e9 \\"{[",
    "hooks": {
        "Stop": [ { "hooks": [ { "type": "command", "command": "say done" } ] } ],
        "TaskCompleted": [
            { "matcher": "", "hooks": [ { "type": "command", "command": "notify", "timeout": 3 } ] }
        ]
    },
    "env": {"A": "1"}
}
`;
    writeFileSync(file, before);

    await install();

    const after = readFileSync(file, 'utf8');
    const [head = '', tail = ''] = before.split(/"hooks": \{[^]*\n {4}\},/);
    expect(after.startsWith(`${head}"hooks": {\n        "Stop"`)).toBe(true);
    expect(after.endsWith(`\n    },${tail}`)).toBe(true);
    const { hooks } = JSON.parse(after);
    expect(Object.keys(hooks)).toEqual(['Stop', 'TaskCompleted', 'PostToolUseFailure', 'SubagentStop', 'StopFailure']);
    expect(hooks.Stop).toEqual([{ hooks: [{ type: 'command', command: 'say done' }] }]);
    expect(hooks.TaskCompleted).toEqual([
      { matcher: '', hooks: [{ type: 'command', command: 'notify', timeout: 3 }] },
      { hooks: [expect.objectContaining({ type: 'command' })] },
    ]);
  });

  test('keeps comments, and changes nothing the second time', async () => {
    const { file, install } = place();
    const comments = ['// mine', '/* of the team */', '// the last'];
    writeFileSync(file, `{ ${comments[0]}\n  "hooks": { ${comments[1]}\n    "Stop": [] ${comments[2]}\n  }\n}\n`);

    await install();
    const first = readFileSync(file, 'utf8');
    const { stdout } = await install();

    for (const comment of comments) expect(first).toContain(comment);
    expect(stdout).toContain('nothing was changed');
    expect(readFileSync(file, 'utf8')).toBe(first);
  });

  test('keeps a copy of what was there, and says how to get it back', async () => {
    const { file, install } = place();
    const before = '{"model":"opus"}';
    writeFileSync(file, before);

    const { stdout } = await install();

    const [backup = ''] = readdirSync(join(file, '..')).filter((name) => name.includes('backup'));
    expect(backup).toMatch(/^settings\.json\.backup-\d{8}T\d{6}Z$/);
    expect(readFileSync(join(file, '..', backup), 'utf8')).toBe(before);
    expect(stdout).toContain(`Undo: cp ${join(file, '..', backup)} ${file}\n`);
  });

  test('changes nothing the second time', async () => {
    const { file, install } = place();
    await install();
    const first = readFileSync(file, 'utf8');
    const { mtimeMs } = statSync(file);

    const { code, stdout } = await install();

    expect(code).toBe(0);
    expect(stdout).toContain(`${file} has these hooks already; nothing was changed.\n`);
    expect(readFileSync(file, 'utf8')).toBe(first);
    expect(statSync(file).mtimeMs).toBe(mtimeMs);
    expect(readdirSync(join(file, '..'))).toEqual(['settings.json']);
  });

  test('replaces an entry of an older place, keeps what somebody added to it and where, and removes leftovers', async () => {
    const { file, home, install } = place();
    const old = {
      type: 'command',
      command: `'/old/node' '/old/it'\\''s/worker/mesh.mjs' hook claude-code --home /old`,
    };
    const hooks = {
      PostToolUseFailure: [
        {
          matcher: 'Bash',
          hooks: [
            { ...old, timeout: 3, statusMessage: 'reporting' },
            { type: 'command', command: 'x' },
          ],
        },
        { hooks: [{ type: 'command', command: 'npx mesh hook claude-code' }] },
        { matcher: '*', hooks: [old, { type: 'command', command: 'y' }] },
        { matcher: 'Bash', hooks: [old] },
        { matcher: 'Edit', hooks: [{ ...old, command: `${old.command} || :` }] },
      ],
      StopFailure: [{ hooks: [{ type: 'http', url: 'http://127.0.0.1:7280/v1/hooks/claude-code' }] }],
      Notification: [{ hooks: [old] }],
    };
    writeFileSync(file, JSON.stringify({ hooks }, null, 2));

    await install();

    const line = `${HOOK} --home ${home}`;
    const command = `${line} || :`;
    const ours = { type: 'command', command, timeout: 10 };
    const insisting = { ...ours, command: `trap : TERM HUP INT; ${line} || ${command}` };
    expect(read(file).hooks).toEqual({
      PostToolUseFailure: [
        {
          matcher: 'Bash',
          hooks: [
            { ...ours, timeout: 3, statusMessage: 'reporting' },
            { type: 'command', command: 'x' },
          ],
        },
        { hooks: [ours] },
        { matcher: '*', hooks: [{ type: 'command', command: 'y' }] },
        { matcher: 'Edit', hooks: [ours] },
      ],
      StopFailure: [{ hooks: [insisting] }],
      Notification: [{ hooks: [old] }],
      TaskCompleted: [{ hooks: [ours] }],
      SubagentStop: [{ hooks: [ours] }],
    });
  });

  test('--print shows what would be, in both forms, and changes nothing', async () => {
    const { file, install } = place();
    writeFileSync(file, '{\n  "model": "opus"\n}\n');

    const { code, stdout } = await install(['--print']);

    expect(code).toBe(0);
    const [whole = '', http = ''] = stdout.split(/\n\n.*--http.*\n/);
    expect(JSON.parse(whole)).toMatchObject({
      model: 'opus',
      hooks: { StopFailure: [{ hooks: [{ type: 'command' }] }] },
    });
    expect(Object.keys(JSON.parse(http).hooks)).toEqual(EVENTS);
    expect(readFileSync(file, 'utf8')).toBe('{\n  "model": "opus"\n}\n');
    expect(readdirSync(join(file, '..'))).toEqual(['settings.json']);
  });

  test('--http writes the form without a command, with the chain, and with a token only where there is one', async () => {
    const { file, home, install } = place();
    const chain = {
      'X-Mesh-Depth': '$MESH_DEPTH',
      'X-Mesh-Root-Event': '$MESH_ROOT_EVENT',
      'X-Mesh-Remediation': '$MESH_REMEDIATION',
      'X-Mesh-Lineage': '$MESH_LINEAGE',
    };
    const names = ['MESH_DEPTH', 'MESH_ROOT_EVENT', 'MESH_REMEDIATION', 'MESH_LINEAGE'];

    const { stdout } = await install(['--http']);
    const open = read(file).hooks.StopFailure[0].hooks[0];
    mkdirSync(home);
    writeFileSync(join(home, 'token'), 'secret-token');
    await install(['--http', '--gateway', 'http://127.0.0.1:7999/']);
    const withToken = read(file).hooks.StopFailure[0].hooks[0];

    expect(open).toEqual({
      type: 'http',
      url: 'http://127.0.0.1:7280/v1/hooks/claude-code',
      timeout: 10,
      headers: chain,
      allowedEnvVars: names,
    });
    expect(withToken).toEqual({
      ...open,
      url: 'http://127.0.0.1:7999/v1/hooks/claude-code',
      headers: { Authorization: 'Bearer $MESH_TOKEN', ...chain },
      allowedEnvVars: ['MESH_TOKEN', ...names],
    });
    expect(readFileSync(file, 'utf8')).not.toContain('secret-token');
    expect(stdout).toContain('StopFailure never arrives');
  });

  test('writes through a link, also one whose file is not there yet, and keeps the mode of the file', async () => {
    const { file, install } = place();
    const real = join(tempFolder(), 'dotfiles.json');
    symlinkSync(real, file);

    await install();
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(Object.keys(read(real).hooks)).toEqual(EVENTS);
    writeFileSync(real, '{"a":1}');
    chmodSync(real, 0o640);
    await install();

    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(read(real)).toMatchObject({ a: 1, hooks: {} });
    expect(statSync(real).mode & 0o777).toBe(0o640);
  });

  test('warns when the file switches all hooks off', async () => {
    const { file, install } = place();
    writeFileSync(file, '{"disableAllHooks": true}');

    expect((await install()).stdout).toContain('Warning: disableAllHooks is set');
  });

  test.each<[string, string, string]>([
    ['broken JSON', '{"a": 1,}', ': not valid JSON: '],
    ['a list', '[]', ': expected an object.'],
    ['hooks that are a list', '{"hooks": []}', ': hooks: expected an object.'],
    ['an event that is no list', '{"hooks": {"StopFailure": {}}}', ': hooks.StopFailure: expected a list.'],
    ['a group that is a text', '{"hooks": {"StopFailure": ["x"]}}', ': hooks.StopFailure[0]: expected an object.'],
    ['a group without hooks', '{"hooks": {"StopFailure": [{}]}}', ': hooks.StopFailure[0].hooks: expected a list.'],
    [
      'a hook that is a text',
      '{"hooks": {"StopFailure": [{"hooks": ["x"]}]}}',
      ': hooks.StopFailure[0].hooks[0]: expected an object.',
    ],
  ])('refuses %s, names it, and changes nothing', async (_what, text, message) => {
    const { file, install } = place();
    writeFileSync(file, text);

    const { code, stdout, stderr } = await install();

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`${file}${message}`);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(readdirSync(join(file, '..'))).toEqual(['settings.json']);
  });

  test.each<[string, string[], string]>([
    ['an unknown runtime', ['install', 'codex'], "error: command-argument value 'codex' is invalid"],
    ['a gateway that is no address', ['install', 'claude-code', '--gateway', 'mesh'], '--gateway: expected an address'],
    ['a wrong tenant', ['install', 'claude-code', '--tenant', 'Team A'], '--tenant: expected a tenant name'],
    [
      'a tenant for the http form',
      ['install', 'claude-code', '--http', '--tenant', 'a'],
      '--tenant goes with a command only',
    ],
    [
      'the http form without a gateway',
      ['install', 'claude-code', '--http', '--gateway', 'off'],
      '--http needs a gateway',
    ],
  ])('refuses %s', async (_what, args, message) => {
    const file = join(tempFolder(), 'settings.json');

    const { code, stderr } = await runMesh([...args, '--settings', file], { MESH_HOME: tempFolder() });

    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(readdirSync(join(file, '..'))).toEqual([]);
  });

  test('says when the file cannot be written', async () => {
    const { code, stderr } = await runMesh(['install', 'claude-code', '--settings', '/dev/null/settings.json'], {
      MESH_HOME: tempFolder(),
    });

    expect(code).toBe(1);
    expect(stderr).toMatch(/^\/dev\/null\/settings\.json: cannot be read: ENOTDIR.*\n$/);
  });
});

function place() {
  const file = join(tempFolder(), 'settings.json');
  const home = join(tempFolder(), 'home');
  const install = (args: string[] = [], env: Record<string, string> = {}) =>
    runMesh(['install', 'claude-code', '--settings', file, ...args], { MESH_HOME: home, ...env });
  return { file, home, install };
}

/** As Claude Code runs its hooks. */
async function sh(command: string, stdin = ''): Promise<{ code: unknown; stdout: string }> {
  const env = { PATH: '/nowhere', MESH_GATEWAY_PORT: 'off', MESH_TEMPORAL_PORT: '1' };
  const child = spawn('/bin/sh', ['-c', command], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  // Where nothing could be started, nobody reads.
  child.stdin.on('error', () => undefined).end(stdin);
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, stdout };
}

function read(file: string) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
