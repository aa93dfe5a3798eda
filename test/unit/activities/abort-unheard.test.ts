import { CancelledFailure } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { expect, onTestFinished, test, vi } from 'vitest';
import { endIfAborted, isAbortUnheard } from '#activities/abort-unheard.js';

const HOUR_MS = 3_600_000;

function attemptOf({ attempt = 1, waitedMs = 0 }): MockActivityEnvironment {
  const workflowExecution = { workflowId: 'remediation/default/r/e-1', runId: 'run-1' };
  const info = { attempt, scheduledTimestampMs: Date.now() - waitedMs, workflowExecution };
  return new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') });
}

/** A server on which everything is aborted, and what it was asked. */
function abortedServer() {
  const asked: string[][] = [];
  const isCancelRequested = async (...question: string[]) => asked.push(question) > 0;
  return { asked, isCancelRequested };
}

test.each([
  ['that follows another', { attempt: 2 }],
  ['that was taken late', { waitedMs: 5_000 }],
  ['that was taken early, since clocks differ', { waitedMs: -5_000 }],
])('an attempt %s asks for its own run', async (_, info) => {
  const server = abortedServer();

  expect(await attemptOf(info).run(() => isAbortUnheard(server))).toBe(true);
  expect(server.asked).toEqual([['remediation/default/r/e-1', 'run-1']]);
});

test('a first attempt that was taken at once asks nobody', async () => {
  const server = abortedServer();
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());

  expect(await attemptOf({ waitedMs: 0 }).run(() => isAbortUnheard(server))).toBe(false);
  expect(server.asked).toEqual([]);
});

test('where the server does not say it, the attempt goes on', async () => {
  const isCancelRequested = () => Promise.reject(new Error('the server is away'));

  expect(await attemptOf({ waitedMs: HOUR_MS }).run(() => isAbortUnheard({ isCancelRequested }))).toBe(false);
});

test('a cancellation that comes meanwhile is heard', async () => {
  const attempt = attemptOf({ attempt: 2 });
  const isCancelRequested = async () => {
    attempt.cancel();
    return false;
  };

  await expect(attempt.run(() => isAbortUnheard({ isCancelRequested }))).rejects.toBeInstanceOf(CancelledFailure);
});

test('what it ends is no attempt, and passes on what those before it have left', async () => {
  await expect(
    attemptOf({ attempt: 3 }).run(() => endIfAborted(abortedServer(), { lastError: 'refused' })),
  ).rejects.toMatchObject({
    type: 'aborted',
    nonRetryable: true,
    message: 'it was aborted while no worker was there',
    details: [{ attempts: 2, lastError: 'refused' }],
  });
});
