import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryFiles } from './files.js';
import { readText } from './markdown.js';

/** Which rooms each room may import, types included. `worker` wires everything. */
const ARROWS: Record<string, string[]> = {
  contract: [],
  rules: ['contract'],
  workflows: ['contract', 'rules/guards'],
  adapters: ['contract'],
  activities: ['contract', 'rules', 'config', 'adapters'],
  config: ['contract', 'rules'],
  client: ['contract', 'rules', 'adapters'],
  worker: ['contract', 'rules', 'activities', 'adapters', 'config', 'client'],
};

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g;

const SOURCES = repositoryFiles()
  .filter((path) => path.endsWith('.ts') && Object.hasOwn(ARROWS, roomOf(path)))
  .map((path) => ({ path, imports: importsOf(path) }));

describe.each(Object.entries(ARROWS))('%s', (room, allowed) => {
  const files = SOURCES.filter(({ path }) => roomOf(path) === room);

  it(`imports only ${['itself', ...allowed].join(', ')}`, () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports
        .filter((target) => /^[.#]/.test(target))
        .map((target) => (target.startsWith('#') ? target.slice(1) : join(dirname(path), target)))
        .filter((target) => ![room, ...allowed].some((folder) => target.startsWith(`${folder}/`)))
        .map((target) => `${path} imports ${target}`),
    );

    expect(files.length).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
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

function roomOf(path: string): string {
  return path.split('/')[0] ?? '';
}

function importsOf(path: string): string[] {
  return [...readText(path).matchAll(IMPORT)].map(([, target = '']) => target);
}
