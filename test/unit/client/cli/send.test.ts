import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../../../support/temp-folder.js';
import { runMesh } from './run-mesh.js';

// What `send` stores is shown by the tests with a server; here is what it refuses, and that it says so.

describe('mesh send', () => {
  test.each<[string, string[], string]>([
    ['nothing to send', [], 'nothing to send: give --event <name>, a file, or - for standard input\n'],
    ['a file and a session for it', ['events.jsonl', '--session', 's1'], 'give a file or --session, not both\n'],
    ['a file and an event', ['events.jsonl', '--event', 'Stop'], 'give a file or --event, not both\n'],
    ['a file that is not there', ['nowhere.jsonl'], 'nowhere.jsonl: file not found\n'],
    ['an empty file', ['empty.jsonl'], 'empty.jsonl: holds no event\n'],
    [
      'a payload that is not an object',
      ['-e', 'Stop', '-p', '[1]'],
      'payload: expected an object, found a list\nNothing was sent.\n',
    ],
    [
      'a wrong outcome',
      ['-e', 'Stop', '-o', 'failure'],
      'outcome: expected one of success, failed, timeout, unknown, found "failure" (did you mean "failed"?)\nNothing was sent.\n',
    ],
    [
      'a wrong name',
      ['-e', 'not a name'],
      'event: expected an event name: a letter, then up to 127 letters, digits or . _ : -, found "not a name"\nNothing was sent.\n',
    ],
    [
      'a wrong tenant',
      ['-e', 'Stop', '--tenant', 'Team'],
      'tenant: expected a tenant name: 1 to 63 lower-case letters, digits or -, found "Team"\nNothing was sent.\n',
    ],
    [
      'one wrong line among good ones',
      ['events.jsonl'],
      'events.jsonl:2: evnt: unknown key "evnt" (did you mean "event"?)\nNothing was sent.\n',
    ],
    [
      'a file for simulate',
      ['simulated.jsonl'],
      'simulated.jsonl:1: this is a line for `mesh simulate`, {"atMs", "event"} (send takes the event alone; simulate takes both forms)\nNothing was sent.\n',
    ],
  ])('refuses %s', async (_, args, stderr) => {
    const run = await runMesh(['send', ...args], { cwd: withEvents() });

    expect(run).toEqual({ code: 1, stdout: '', stderr });
  });

  test('names standard input when what came that way is wrong', async () => {
    const run = await runMesh(['send', '-'], { cwd: tempFolder(), stdin: '{"event":"Stop","depth":-1}' });

    expect(run).toEqual({
      code: 1,
      stdout: '',
      stderr: 'standard input:1: depth: expected a whole number from 0 to 100, found -1\nNothing was sent.\n',
    });
  });

  test('refuses a payload that is not JSON, and says where it breaks off', async () => {
    const run = await runMesh(['send', '-e', 'Stop', '-p', '{tool: 1}'], { cwd: tempFolder() });

    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/^--payload is not valid JSON: .+\n$/);
  });

  test('refuses a depth that is no number', async () => {
    const run = await runMesh(['send', '-e', 'Stop', '--depth', 'deep'], { cwd: tempFolder() });

    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/^depth: expected a whole number from 0 to 100/);
  });

  test('says in one line what to do when no server runs, with an exit code of its own', async () => {
    const run = await runMesh(['send', '-e', 'Stop'], { cwd: tempFolder(), env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } });

    expect(run).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Temporal is not reachable at 127.0.0.1:1: check TEMPORAL_ADDRESS and that the server runs.\n',
    });
  });

  test('asks about a name that no runtime sends, and tries to send it all the same', async () => {
    const env = { TEMPORAL_ADDRESS: '127.0.0.1:1' };

    const run = await runMesh(['send', '-e', 'PostToolUsFailure'], { cwd: tempFolder(), env });

    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(
      /^Warning: no runtime known to the mesh sends "PostToolUsFailure" \(did you mean "PostToolUseFailure"\?\)\nTemporal is not reachable/,
    );
  });

  test('takes empty variables for ones that are not set', async () => {
    const env = {
      MESH_TENANT: '',
      MESH_DEPTH: '',
      MESH_ROOT_EVENT: '',
      MESH_REMEDIATION: '',
      TEMPORAL_ADDRESS: '127.0.0.1:1',
    };

    const run = await runMesh(['send', '-e', 'Stop'], { cwd: tempFolder(), env });

    expect(run.stderr).toMatch(/^Temporal is not reachable/);
  });

  test('says what is wrong with the connection settings, without a stack trace', async () => {
    const env = { TEMPORAL_ADDRESS: '127.0.0.1:1', TEMPORAL_TLS_CLIENT_CERT_PATH: '/nowhere/cert.pem' };

    const run = await runMesh(['send', '-e', 'Stop'], { cwd: tempFolder(), env });

    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/^.*\/nowhere\/cert\.pem.*\n$/);
  });

  test('reports variables nobody reads, and refuses settings nobody can use', async () => {
    const run = await runMesh(['send', '-e', 'Stop'], {
      cwd: tempFolder(),
      env: { MESH_TENNANT: 'x', MESH_UI_PORT: 'none' },
    });

    expect(run).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'Warning: MESH_TENNANT is not a variable of the mesh: did you mean MESH_TENANT?\nMESH_UI_PORT: expected a port from 1 to 65535, found "none"\n',
    });
  });
});

function withEvents(): string {
  const folder = tempFolder();
  writeFileSync(join(folder, 'empty.jsonl'), '\n');
  writeFileSync(join(folder, 'simulated.jsonl'), '{"atMs":0,"event":{"event":"Stop"}}\n');
  writeFileSync(join(folder, 'events.jsonl'), '{"event":"Stop"}\n{"event":"Stop","evnt":"Stop"}\n');
  return folder;
}
