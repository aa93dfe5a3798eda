import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../../../support/temp-folder.js';
import { runMesh } from './run-mesh.js';

const COMMANDS = [
  ...['send', 'status', 'why', 'runs', 'show', 'abort', 'retry', 'rearm', 'pause', 'resume'],
  ...['check', 'simulate', 'try', 'dead', 'setup-server'],
];

describe('mesh', () => {
  test('lists its commands', async () => {
    const run = await runMesh(['--help'], { cwd: tempFolder() });

    expect(run.code).toBe(0);
    for (const command of COMMANDS) expect(run.stdout).toContain(`\n  ${command}`);
  });

  test('tells its version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };

    const run = await runMesh(['--version'], { cwd: tempFolder() });

    expect(run).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  test('guesses which command was meant', async () => {
    const run = await runMesh(['simulat'], { cwd: tempFolder() });

    expect(run.code).toBe(1);
    expect(run.stderr).toContain("error: unknown command 'simulat'\n(Did you mean simulate?)");
  });
});
