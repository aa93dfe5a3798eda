import { expect, test } from 'vitest';
import { makeFindClosed } from '#activities/find-closed.js';

const holder = (name: string) => ({ key: name, holder: name, run: 'r' });

test('a slot is free once its remediation is closed, and its agent has had time to end', async () => {
  const closedAgoMs: Record<string, number> = { just: 5_000, long: 11_000 };
  const closedAt = async (id: string) => {
    if (id === 'unknown') throw new Error('the server is away');
    const agoMs = closedAgoMs[id];
    return agoMs === undefined ? undefined : Date.now() - agoMs;
  };
  const holders = ['running', 'just', 'long', 'unknown'].map(holder);

  expect(await makeFindClosed({ workflows: { closedAt } })(holders)).toEqual([holder('long')]);
});
