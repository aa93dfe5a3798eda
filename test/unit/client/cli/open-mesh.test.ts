import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { whileWaiting } from '#client/cli/open-mesh.js';

test.each([
  ['a person is told what a command waits for, once', true, 50, ['waiting for an answer …\n']],
  ['nothing is said of what is answered soon', true, 0, []],
  ['nothing is said where nobody looks', false, 50, []],
])('%s', async (_name, isTTY, takesMs, said) => {
  const written: string[] = [];
  const output = { isTTY, write: (text: string) => written.push(text) };

  const answer = await whileWaiting(() => wait(takesMs, 'an answer'), output, takesMs === 0 ? 1_000 : 10);

  expect(answer).toBe('an answer');
  expect(written).toEqual(said);
});

test('of what fails soon nothing is said afterwards', async () => {
  const written: string[] = [];
  const output = { isTTY: true, write: (text: string) => written.push(text) };

  await expect(whileWaiting(() => Promise.reject(new Error('no')), output, 10)).rejects.toThrow('no');
  await wait(30);

  expect(written).toEqual([]);
});
