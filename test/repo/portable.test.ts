import { expect, it } from 'vitest';
import { repositoryFiles } from './files.js';
import { readText } from './markdown.js';

// Put together here, so that this file does not hold what it looks for.
const MACHINE_FOLDERS = ['work', 'root', 'home'].map((name) => `/${name}/`);
const HOSTS = [
  ['files', 'pythonhosted'],
  ['pypi', 'org'],
  ['registry', '[a-z]'],
].map((parts) => parts.join('\\.'));
const TELLTALE = new RegExp(
  [...MACHINE_FOLDERS.map((path) => `(?<![\\w.-])${path}`), ...HOSTS.map((host) => `\\b${host}`)].join('|'),
);

/** The server's last source, for machines without Python. */
const ON_PURPOSE = { file: 'worker/dev/temporal-binary.ts', count: 1 };

it('no file names a folder of somebody’s machine or the host of a package registry', () => {
  const found = repositoryFiles().flatMap((file) =>
    readText(file)
      .split('\n')
      .flatMap((line, index) => {
        const [match] = TELLTALE.exec(line) ?? [];
        return match === undefined ? [] : [{ file, at: `${file}:${index + 1}: ${match}` }];
      }),
  );

  expect(found.filter(({ file }) => file !== ON_PURPOSE.file).map(({ at }) => at)).toEqual([]);
  expect(found.filter(({ file }) => file === ON_PURPOSE.file)).toHaveLength(ON_PURPOSE.count);
});

it('the lockfile names packages and hashes, and no host', () => {
  expect(readText('package-lock.json')).not.toMatch(/"resolved": "https?:/);
});
