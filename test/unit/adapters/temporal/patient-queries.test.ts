import { QueryNotRegisteredError } from '@temporalio/client';
import { expect, test, vi } from 'vitest';
import { patientQueries } from '#adapters/temporal/patient-queries.js';
import { EARLY_QUERY } from '#contract/names.js';

const INVALID_ARGUMENT = 3;
const refusal = () => new QueryNotRegisteredError(`${EARLY_QUERY}: ask again`, INVALID_ARGUMENT);

/** Asks by one client; each question is answered by its own function. */
function createAsker(options = {}) {
  const { query } = patientQueries(options);
  return async (workflowId: string, answer: () => Promise<unknown>): Promise<unknown> =>
    query?.({ workflowExecution: { workflowId } } as Parameters<typeof query>[0], answer);
}

test('a query that is refused is asked again until it is answered', async () => {
  const answer = vi.fn().mockRejectedValueOnce(refusal()).mockRejectedValueOnce(refusal()).mockResolvedValue('told');

  expect(await createAsker()('w', answer)).toBe('told');
  expect(answer).toHaveBeenCalledTimes(3);
});

test('one that is refused every time fails with the last refusal', async () => {
  const answer = vi.fn().mockImplementation(() => Promise.reject(refusal()));

  await expect(createAsker()('w', answer)).rejects.toThrow(EARLY_QUERY);
  expect(answer).toHaveBeenCalledTimes(4);
});

test.each([new QueryNotRegisteredError('no such query', INVALID_ARGUMENT), new Error('away')])(
  'what failed for another reason is not asked again: %s',
  async (error) => {
    const answer = vi.fn().mockRejectedValue(error);

    await expect(createAsker()('w', answer)).rejects.toBe(error);
    expect(answer).toHaveBeenCalledTimes(1);
  },
);

test('a workflow is asked one thing at a time, in order, and others meanwhile', async () => {
  const ask = createAsker();
  const said: string[] = [];
  let fail = () => {};
  const asked = [
    ask('w', () => new Promise((_, reject) => (fail = () => reject(new Error('no answer'))))),
    ask('w', async () => said.push('w 2')),
    ask('other', async () => said.push('other')),
  ];
  await asked[2];
  expect(said).toEqual(['other']);

  fail();

  await Promise.allSettled(asked);
  expect(said).toEqual(['other', 'w 2']);
});

test('nobody waits for ever for whoever asked before', async () => {
  const ask = createAsker({ turnMs: 10 });
  void ask('w', () => new Promise(() => undefined));

  expect(await ask('w', async () => 'told')).toBe('told');
});
