import { defineConfig } from 'vitest/config';
import { ROOMS } from './rooms.js';

const resolve = { alias: ROOMS };

const all = {
  root: new URL('..', import.meta.url).pathname,
  // Temporal's native parts crash worker threads.
  pool: 'forks' as const,
  testTimeout: 30_000,
  hookTimeout: 60_000,
  // Tests side by side in one file do it to wait side by side.
  maxConcurrency: 6,
};
/** They look at the memory of their own process. */
const alone = ['test/gateway/fuzz.test.ts'];
/** They look at processes and time, or bring Temporal's native worker along. */
const large = ['test/{e2e,workflows,replay,torture}/**/*.test.ts', 'test/{gateway,unit}/**/temporal.test.ts'];

// Tests about the repository itself are part of `npm run check`, see .config/vitest-repo.ts; those with programs of others
// are asked for by `npm run test:clients`, see .config/vitest-clients.ts.
const elsewhere = ['test/soak/**', 'test/{repo,packaging}/**', 'test/clients/**'];

export default defineConfig({
  test: {
    root: all.root,
    projects: [
      { resolve, test: { ...all, name: 'alone', include: alone } },
      // Files follow each other in one process: to load all anew for each would take longer than most of the tests do. Projects
      // run in the order of their names.
      { resolve, test: { ...all, name: 'large', include: large, isolate: false } },
      {
        resolve,
        test: {
          ...all,
          name: 'small',
          include: ['test/**/*.test.ts'],
          exclude: [...alone, ...large, ...elsewhere],
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
