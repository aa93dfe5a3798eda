import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyWithPage, type PageCopy } from '../support/page-copy.js';

// Does what docs/adding-a-dialect.md says, in a copy of this repository, and sends a hook of the new dialect to the gateway.

/** On a machine of two cores all of this takes half a minute; others may use it at the same time. */
const TIMEOUT_MS = 240_000;

let copy: PageCopy;

beforeAll(async () => {
  copy = await copyWithPage('docs/adding-a-dialect.md');
}, TIMEOUT_MS);

afterAll(() => copy.remove());

test.concurrent('the page has every type checked', { timeout: TIMEOUT_MS }, () => copy.checkTypes());

test.concurrent('ESLint and Prettier have nothing to say of what it adds', { timeout: TIMEOUT_MS }, () =>
  copy.checkStyle(),
);

test.concurrent('a hook of it is taken by the gateway, and its facts are read', { timeout: TIMEOUT_MS }, async () => {
  const { stdout } = await copy.ownTests();

  expect(stdout).toMatch(/Test Files +1 passed/);
});
