import { ServiceError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { explainQuery } from '#client/temporal-errors.js';

const CANCELLED = 1;
const DEADLINE_EXCEEDED = 4;
const FAILED_PRECONDITION = 9;
const UNAVAILABLE = 14;

// At the deadline of a query either end may be the first to give up.
test.each([
  [DEADLINE_EXCEEDED, true, 'no-worker'],
  [CANCELLED, true, 'no-worker'],
  [FAILED_PRECONDITION, true, 'no-worker'],
  [DEADLINE_EXCEEDED, false, 'unreachable'],
  [CANCELLED, false, 'unreachable'],
  [UNAVAILABLE, true, 'unreachable'],
])('a query that ends with code %i, while Temporal answers: %s, is %s', async (code, isReachable, expected) => {
  const cause = Object.assign(new Error(), { code, details: '', metadata: {} });
  const error = new ServiceError('Failed to query Workflow', { cause });

  const explained = await explainQuery(error, 'no such tenant', () => Promise.resolve(isReachable));

  expect(explained).toMatchObject({ code: expected, cause: error });
});
