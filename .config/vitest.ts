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
/** They look at the memory of their own process, or at how long something takes. */
const alone = ['test/gateway/fuzz.test.ts', 'test/workflows/many-rules.test.ts'];
/** They look at processes and time, or bring Temporal's native worker along. */
const large = ['test/{e2e,workflows,replay,torture}/**/*.test.ts', 'test/{gateway,unit}/**/temporal.test.ts'];
/** Nothing waits so long that comes at all; what must come in time says so itself. */
const PATIENCE = { testTimeout: 120_000, hookTimeout: 120_000 };

// Tests about the repository itself are part of `npm run check`, see .config/vitest-repo.ts; those with programs of others
// are asked for by `npm run test:clients`, see .config/vitest-clients.ts.
const elsewhere = ['test/soak/**', 'test/{repo,packaging}/**', 'test/clients/**'];

export default defineConfig({
  test: {
    root: all.root,
    projects: [
      { resolve, test: { ...all, ...PATIENCE, name: 'alone', include: alone } },
      // Files follow each other in one process: to load all anew for each would take longer than most of the tests do. Projects
      // run in the order of their names.
      { resolve, test: { ...all, ...PATIENCE, name: 'large', include: large, exclude: alone, isolate: false } },
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
