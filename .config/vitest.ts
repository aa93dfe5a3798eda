import { defineConfig } from 'vitest/config';

const all = {
  root: new URL('..', import.meta.url).pathname,
  // Temporal's native parts crash worker threads.
  pool: 'forks' as const,
  testTimeout: 30_000,
  hookTimeout: 60_000,
  // Tests side by side in one file do it to wait side by side.
  maxConcurrency: 10,
};
/** They look at processes, memory and time, or bring Temporal's native worker along. */
const apart = [
  'test/{e2e,workflows,replay}/**/*.test.ts',
  'test/{gateway,unit}/**/temporal.test.ts',
  'test/gateway/fuzz.test.ts',
];

// Tests about the repository itself are part of `npm run check`, see .config/vitest-repo.ts; those with programs of others
// are asked for by `npm run test:clients`, see .config/vitest-clients.ts.
const elsewhere = ['test/soak/**', 'test/repo/**', 'test/clients/**'];

export default defineConfig({
  test: {
    root: all.root,
    projects: [
      // Each file in a process of its own. Projects run in the order of their names, and these take longest.
      { test: { ...all, name: 'apart', include: apart } },
      {
        test: {
          ...all,
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...apart, ...elsewhere],
          // To load all anew for each of these many small files would take longer than their tests.
          isolate: false,
        },
      },
    ],
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 3,
    reporters: process.env['VITEST_REPORT']
      ? ['default', ['json', { outputFile: process.env['VITEST_REPORT'] }]]
      : ['default'],
  },
});
