import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyWithPages, type PageCopy } from '../support/page-copy.js';

// Does what docs/adding-an-action.md and docs/adding-a-dialect.md say, in a copy of this repository.

/** On a machine of two cores all of this takes half a minute; others may use it at the same time. */
const TIMEOUT_MS = 240_000;

let copy: PageCopy;

beforeAll(async () => {
  copy = await copyWithPages('docs/adding-an-action.md', 'docs/adding-a-dialect.md');
}, TIMEOUT_MS);

afterAll(() => copy.remove());

test('the pages have every type checked', { timeout: TIMEOUT_MS }, () => copy.checkTypes());

test('ESLint and Prettier have nothing to say of what they add', { timeout: TIMEOUT_MS }, () => copy.checkStyle());

test('what they add is complete and documented', { timeout: TIMEOUT_MS }, async () => {
  const about = ['actions', 'import-arrows', 'operations-docs', 'rules-docs'].map(
    (name) => `test/repo/${name}.test.ts`,
  );

  expect((await copy.vitest('vitest-repo', ...about)).stdout).toMatch(/Test Files +4 passed/);
});

test(
  'their own tests pass: the action acts, a hook of the dialect is taken by the gateway, and its facts are read',
  { timeout: TIMEOUT_MS },
  async () => {
    expect((await copy.ownTests()).stdout).toMatch(/Test Files +2 passed/);
  },
);
