import { defineConfig } from 'vitest/config';
import { ROOMS } from './rooms.js';

/** What takes too long for every day: the same proofs, many times over. */
export default defineConfig({
  resolve: { alias: ROOMS },
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/soak/**/*.test.ts', 'test/gateway/fuzz.test.ts'],
    env: { FUZZ_RUNS: '10000' },
    globalSetup: ['test/support/global-setup.ts'],
    // Temporal's native parts crash worker threads.
    pool: 'forks',
    // Most of the time goes by until a kill is noticed.
    maxConcurrency: 10,
    hookTimeout: 60_000,
    reporters: process.env['VITEST_REPORT']
      ? ['default', ['json', { outputFile: process.env['VITEST_REPORT'] }]]
      : ['default'],
  },
});
