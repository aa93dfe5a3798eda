import { expect, test } from 'vitest';
import { startNode } from '../../support/run-command.js';

// As it is: 175 MiB each; small: 115 and 75.
test('garbage is collected before most of a heap is garbage, in the process and in its threads', async () => {
  const asItIs = await peaks();
  const small = await peaks('small');

  expect(small.main / asItIs.main).toBeLessThan(0.85);
  expect(small.thread / asItIs.thread).toBeLessThan(0.65);
});

async function peaks(...args: string[]): Promise<{ main: number; thread: number }> {
  const { code, stdout, stderr } = await startNode(['test/support/make-garbage.mjs', ...args], {}).finished;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const peakOf = (name: string) => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(stdout)?.[1]);
  return { main: peakOf('main'), thread: peakOf('thread') };
}
