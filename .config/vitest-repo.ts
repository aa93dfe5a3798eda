import { defineConfig } from 'vitest/config';

const root = new URL('..', import.meta.url).pathname;

/** Tests about the repository itself, part of `npm run check`: what it says, and what becomes of it in a package or a container. */
export default defineConfig({
  test: {
    root,
    projects: [
      { test: { root, name: 'repo', include: ['test/repo/**/*.test.ts'] } },
      {
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
