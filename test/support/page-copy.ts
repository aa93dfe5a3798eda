import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readText } from '../repo/markdown.js';
import { applyBlock, pageBlocks } from './page-blocks.js';
import { copyRepository } from './repository-copy.js';
import type { Finished } from './run-command.js';
import { runIn } from './start-in.js';

/** A copy of this repository, in which everything was done that pages say. */
export interface PageCopy {
  /** Holds the copy, and has room for files of a test. */
  folder: string;
  clone: string;
  /** Those that the pages add. */
  newFiles(pattern: RegExp): string[];
  checkTypes(): Promise<void>;
  checkStyle(): Promise<void>;
  vitest(config: string, ...files: string[]): Promise<Finished>;
  /** The tests that the pages add. They need no server, and nothing that is compiled. */
  ownTests(): Promise<Finished>;
  remove(): Promise<void>;
}

const SOURCES = ['contract', 'rules', 'adapters', 'workflows', 'activities', 'worker', 'client', 'config'];

export async function copyWithPages(...pages: string[]): Promise<PageCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'mesh-adding-'));
  const clone = join(folder, 'clone');
  await copyRepository(clone);
  const blocks = pages.flatMap((page) => pageBlocks(page, readText(page)));
  for (const block of blocks) await applyBlock(clone, block);

  const newFiles = (pattern: RegExp) =>
    blocks.filter(({ kind, path }) => kind === 'file' && pattern.test(path)).map(({ path }) => path);
  const node = (program: string, ...args: string[]) => [process.execPath, join('node_modules', program), ...args];
  const vitest = (config: string, ...files: string[]) =>
    runIn(clone, node('vitest/vitest.mjs', 'run', '--config', `.config/${config}.ts`, ...files), { NO_COLOR: '1' });
  return {
    folder,
    clone,
    newFiles,
    async checkTypes() {
      // Without the tests of others, which know nothing of what is new.
      const config = { extends: './tsconfig.json', include: [...SOURCES, ...newFiles(/^test\/.+\.ts$/)] };
      await writeFile(join(clone, 'tsconfig.page.json'), JSON.stringify(config));
      await runIn(clone, node('typescript/bin/tsc', '--noEmit', '--project', 'tsconfig.page.json'));
    },
    async checkStyle() {
      await runIn(clone, node('prettier/bin/prettier.cjs', '--check', ...newFiles(/./)));
      await runIn(clone, node('eslint/bin/eslint.js', '--config', '.config/eslint.js', ...newFiles(/\.ts$/)));
    },
    vitest,
    async ownTests() {
      await writeFile(join(clone, '.config/vitest-page.ts'), OWN_TESTS);
      return vitest('vitest-page', ...newFiles(/\.test\.ts$/));
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

const OWN_TESTS = `
import { defineConfig } from 'vitest/config';
import { ROOMS } from './rooms.ts';
const root = new URL('..', import.meta.url).pathname;
export default defineConfig({ resolve: { alias: ROOMS }, test: { root, include: ['test/unit/**/*.test.ts'] } });
`;
