import { defineConfig } from 'vitest/config';

/** Tests about the repository itself: they need no Temporal server, and are part of `npm run check`. */
export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/repo/**/*.test.ts'],
    reporters: process.env['VITEST_REPORT']
      ? ['default', ['json', { outputFile: process.env['VITEST_REPORT'] }]]
      : ['default'],
  },
});
