import { defineConfig } from 'vitest/config';
import { ROOMS } from './rooms.js';

/** Tests with programs of others, which they install from npm: the mesh under the clients it is made for. */
export default defineConfig({
  resolve: { alias: ROOMS },
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/clients/**/*.test.ts'],
    pool: 'forks',
    // Each starts a mesh of its own, and installs the same client.
    fileParallelism: false,
    testTimeout: 60_000,
    // The client is 240 MB.
    hookTimeout: 300_000,
  },
});
