import { expect, it } from 'vitest';
import { readText } from './markdown.js';

// That the links lead to files that exist is up to links.test.ts.
it('each promise links to the test that would fail if it were broken', () => {
  const promises = readText('docs/promises.md').split(/^- /m).slice(1);

  expect(promises.length).toBeGreaterThan(5);
  expect(promises.filter((promise) => !/\[Proof\]\(\.\.\/test\/\S+\.test\.ts\)/.test(promise))).toEqual([]);
});
