import { expect, it } from 'vitest';
import { readText } from './markdown.js';

const PROMISES = /## Promises\n([^]*?)\n## /.exec(readText('README.md'))?.[1] ?? '';

// That the links lead to files that exist is up to links.test.ts.
it('each promise of the README links to the test that would fail if it were broken', () => {
  const promises = PROMISES.split(/^- /m).slice(1);

  expect(promises.length).toBeGreaterThan(5);
  expect(promises.filter((promise) => !/\[Proof\]\(test\/\S+\.test\.ts\)/.test(promise))).toEqual([]);
});
