import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLogFile } from '#worker/logs.js';
import { stateTrouble } from '#worker/explained-error.js';
import { tempFolder } from '../../support/temp-folder.js';

const withCode = (code: string) => Object.assign(new Error(`${code}: said by the system`), { code });
const me = userInfo().uid === 0 ? 'root' : userInfo().username;

test.each<[string, (home: string) => string]>([
  [
    'ENOSPC',
    (home) =>
      `the disk is full.\nMake room on the disk of ${home}, or set MESH_HOME to another folder, on a disk with room.`,
  ],
  ['EROFS', (home) => `the disk of ${home} can only be read.\nTo go on, set MESH_HOME to another folder.`],
  [
    'EACCES',
    (home) =>
      `${home} belongs to ${me}, and ${me} may not write there.\n` +
      `Run it as ${me}, let this user write there, or set MESH_HOME to another folder.`,
  ],
  ['EISDIR', () => 'a folder stands in its place.\nRemove that folder, or set MESH_HOME to another folder.'],
  ['ENOENT', (home) => `no folder can be made in ${home}.\nTo go on, set MESH_HOME to another folder.`],
  ['EIO', () => 'EIO: said by the system.\nMend that, or set MESH_HOME to another folder.'],
])('a file that cannot be written for %s is told with the cause and the way out', (code, said) => {
  const home = tempFolder();
  const file = join(home, 'not-made', 'yet', 'worker.log');
  const cause = withCode(code);

  const trouble = stateTrouble(file, cause);

  expect(trouble.message).toBe(`${file} cannot be written: ${said(home)}`);
  expect(trouble.cause).toBe(cause);
});

test('a log in a folder that cannot be made says so at once', () => {
  const file = join(tempFolder(), 'file');
  writeFileSync(file, '');

  expect(() => openLogFile(join(file, 'home', 'worker.log'))).toThrow(
    `${join(file, 'home', 'worker.log')} cannot be written: ${file} is a file, not a folder.\nRemove it, or`,
  );
});
