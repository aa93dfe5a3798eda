import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Client } from '@temporalio/client';
import { expect, onTestFinished, test } from 'vitest';
import { makeTakeSlot } from '#adapters/temporal/take-slot.js';

test('nobody waits longer than the time for a question, whatever is collected as garbage meanwhile', async () => {
  const collectGarbage = garbageCollector();
  const collecting = setInterval(collectGarbage, 10);
  onTestFinished(() => clearInterval(collecting));
  const client = Object.create(Client.prototype, {
    withDeadline: { value: () => Promise.reject(new Error('the server is busy')) },
  }) as Client;
  const asked = { key: 'a', claim: '1', holder: 'remediation', run: 'run', startedAt: 0, max: 1 };
  const startedAt = performance.now();

  const answer = await makeTakeSlot(client, 'queue', 150)('launcher', asked, new AbortController().signal);

  expect(answer).toEqual({
    state: 'unanswered',
    reason: expect.stringContaining('the server is busy') as string,
  });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
