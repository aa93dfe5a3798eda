import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { missingPrograms } from '#config/missing-programs.js';
import { missingSecrets } from '#config/missing-secrets.js';
import type { Agent } from '#config/sections/agents.js';
import { formatProblem } from '#contract/text/problem.js';
import { tempFolder } from '../../support/temp-folder.js';

describe('missingPrograms', () => {
  test.each<[string, string[], string | undefined]>([
    ['a program on the PATH', ['tool', 'anything'], undefined],
    ['a program by its path', ['bin/tool'], undefined],
    ['a program that is not there', ['tol'], 'agents.own.command[0]: no program "tol" is on the PATH here'],
    [
      'a file that nobody may run',
      ['./notes.txt'],
      'agents.own.command[0]: ./notes.txt is not executable here (chmod +x FOLDER/notes.txt)',
    ],
    [
      'one on the PATH that nobody may run',
      ['unready'],
      'agents.own.command[0]: unready is not executable here (chmod +x FOLDER/bin/unready)',
    ],
    ['a folder', ['./bin'], 'agents.own.command[0]: there is no program ./bin here'],
    ['a script that is there', ['node', 'notes.txt'], undefined],
    [
      'a script that is not there',
      ['node', 'gone.mjs'],
      'agents.own.command[1]: there is no file FOLDER/gone.mjs here',
    ],
    ['an interpreter with an option first', ['node', '-e', 'gone.mjs'], undefined],
    ['what another program is given', ['tool', 'gone.mjs'], undefined],
  ])('looks for %s', async (_, command, problem) => {
    const folder = withTools();

    const problems = await missingPrograms('own', anAgent(folder, command), { PATH: join(folder, 'bin') });

    expect(problems.map((one) => formatProblem(one).replace(folder, 'FOLDER'))).toEqual(
      problem === undefined ? [] : [problem],
    );
  });

  test('looks on the PATH that the agent will have', async () => {
    const folder = withTools();
    const agent = { ...anAgent(folder, ['tool']), env: { PATH: join(folder, 'bin') } };

    expect(await missingPrograms('own', agent, {})).toEqual([]);
  });

  test('names a folder that is not there, once', async () => {
    expect(await missingPrograms('own', anAgent('/nowhere', ['gone']), {})).toEqual([
      { path: 'agents.own.cwd', message: 'there is no folder /nowhere here' },
    ]);
  });
});

describe('missingSecrets', () => {
  test('names each that cannot be had, and shows none that can', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'there'), 'planted');
    writeFileSync(join(folder, 'empty'), ' \n');
    const part = {
      list: [{ a: '${env:SET}', b: '${env:NOT_SET}' }, '${file:there}'],
      'odd key': '${file:gone}',
      empty: '${file:empty}',
      plain: 'NOT_SET',
    };

    const problems = await missingSecrets(part, ['teams', 't'], { folder, env: { SET: 'planted' } });

    expect(problems).toEqual([
      {
        path: 'teams.t.list[0].b',
        message: '${env:NOT_SET} cannot be read here: environment variable NOT_SET is not set',
      },
      { path: 'teams.t["odd key"]', message: '${file:gone} cannot be read here: file not found' },
      { path: 'teams.t.empty', message: '${file:empty} cannot be read here: file empty is empty' },
    ]);
  });
});

function withTools(): string {
  const folder = tempFolder();
  mkdirSync(join(folder, 'bin'));
  for (const name of ['tool', 'node']) {
    writeFileSync(join(folder, 'bin', name), '');
    chmodSync(join(folder, 'bin', name), 0o755);
  }
  for (const name of ['notes.txt', 'bin/unready']) writeFileSync(join(folder, name), '', { mode: 0o644 });
  return folder;
}

function anAgent(cwd: string, command: string[]): Extract<Agent, { kind: 'command' }> {
  return { kind: 'command', command, prompt: 'stdin', cwd, env: {}, inheritEnv: [], maxConcurrent: 4, fallbacks: [] };
}
