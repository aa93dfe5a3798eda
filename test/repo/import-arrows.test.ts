import { describe, expect, it } from 'vitest';
import { ARROWS, readSources, roomOf } from '../house/import-graph.js';
import { layoutOf } from '../house/layout.js';
import { repositoryFiles } from './files.js';
import { readText, ROOT } from './markdown.js';

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g;

const SOURCES = repositoryFiles()
  .filter((path) => path.endsWith('.ts') && Object.hasOwn(ARROWS, roomOf(path)))
  .map((path) => ({ path, imports: importsOf(path) }));

// Types count, and so does plain JavaScript.
describe('the rooms', () => {
  const layout = layoutOf(readSources(ROOT, repositoryFiles()));

  it('import only what their arrows allow', () => {
    expect(layout.rooms.filter(({ files }) => files === 0)).toEqual([]);
    expect(layout.backEdges).toEqual([]);
  });

  it('have no cycle of values between files of different folders', () => {
    expect(layout.valueCycles).toEqual([]);
  });
});

describe('only where it belongs is', () => {
  it.each([
    ['the network and Node, of the activities', 'activities/', /^(node:(?!crypto$)|undici|nodemailer)/, /^$/],
    ['Node, of what must be pure but for a hash', 'contract/', /^node:(?!crypto$)/, /^$/],
    ['Node, of what must be pure but for a hash', 'rules/', /^node:(?!crypto$)/, /^$/],
    [
      'zod, YAML and Node, of the workflows',
      'workflows/',
      /^(node:|zod|yaml|@temporalio\/(?!workflow$|common$))/,
      /^$/,
    ],
    ['anything but the contract, of the guards', 'rules/guards/', /^(?!\.\/|#contract\/)/, /^$/],
  ])('%s', (_what, folder, refused, except) => {
    const wrong = SOURCES.filter(({ path }) => path.startsWith(folder) && !except.test(path)).flatMap(
      ({ path, imports }) =>
        imports.filter((target) => refused.test(target)).map((target) => `${path} imports ${target}`),
    );

    expect(wrong).toEqual([]);
  });
});

it('workflows are imported by path only, never as code, so that they stay in their bundle', () => {
  const wrong = SOURCES.filter(({ path }) => roomOf(path) !== 'workflows').filter(({ imports }) =>
    imports.some((target) => /^(#|(\.\.\/)+)workflows\//.test(target)),
  );

  expect(wrong.map(({ path }) => path)).toEqual([]);
});

function importsOf(path: string): string[] {
  return [...readText(path).matchAll(IMPORT)].map(([, target = '']) => target);
}
