import { setImmediate } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { expect, it } from 'vitest';
import { createCalls } from '#client/calls.js';

it('a call that is tried many times brings no warning of Node into the log of its user', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);

  const connection = {
    withAbortSignal(signal: AbortSignal, call: () => Promise<void>) {
      for (let request = 0; request < 20; request += 1) signal.addEventListener('abort', () => undefined);
      return call();
    },
    withDeadline: (_deadlineAt: number, call: () => Promise<void>) => call(),
  } as unknown as Connection;
  await createCalls(() => connection).run(Date.now(), () => Promise.resolve());
  await setImmediate();

  process.off('warning', note);
  expect(warnings).toEqual([]);
});
