import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    // Tests about the repository itself are part of `npm run check`, see .config/vitest-repo.ts; those with programs of
    // others are asked for by `npm run test:clients`, see .config/vitest-clients.ts.
    exclude: ['test/soak/**', 'test/repo/**', 'test/clients/**'],
    globalSetup: ['test/support/global-setup.ts'],
    // Temporal's native parts crash worker threads.
    pool: 'forks',
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: process.env['VITEST_REPORT']
      ? ['default', ['json', { outputFile: process.env['VITEST_REPORT'] }]]
      : ['default'],
  },
});
