import { defineConfig } from 'vitest/config';
import { ROOMS } from './rooms.js';

const resolve = { alias: ROOMS };
const root = new URL('..', import.meta.url).pathname;

/** Tests about the repository itself, part of `npm run check`: what it says, and what becomes of it in a package or a container. */
export default defineConfig({
  test: {
    root,
    projects: [
      { resolve, test: { root, name: 'repo', include: ['test/repo/**/*.test.ts'], testTimeout: 30_000 } },
      {
        resolve,
        test: {
          root,
          name: 'packaging',
          include: ['test/packaging/**/*.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          pool: 'forks',
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
    maxWorkers: 3,
    reporters: process.env['VITEST_REPORT']
      ? ['default', ['json', { outputFile: process.env['VITEST_REPORT'] }]]
      : ['default'],
  },
});
