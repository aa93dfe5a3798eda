import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { BUNDLE } from '../support/paths.js';
import { installQuietRuntime } from '../support/quiet-runtime.js';
import { HISTORIES } from './histories.js';

// Histories of real runs. A workflow that would decide differently today breaks the runs that are open at an upgrade.

installQuietRuntime();
const files = await readdir(HISTORIES);

test('there are histories of every way a workflow goes, and of a watch over continue-as-new', () => {
  const remediations = ['ok', 'failed', 'aborted', 'retried', 'fallback', 'awaited', 'late', 'busy'];
  const expected = [
    ...remediations.map((name) => `remediate-${name}`),
    'notice',
    'lease',
    'lease-cancelled',
    'lease-reacquired',
    'slots',
    'watch-run-1',
    'watch-run-2',
  ];

  expect(files).toEqual(expect.arrayContaining(expected.map((name) => `${name}.json`)));
});

test.each(files)('%s replays as it was recorded', async (file) => {
  const history = historyFromJSON(JSON.parse(await readFile(join(HISTORIES, file), 'utf8')));
  const id = history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowId ?? '';

  await Worker.runReplayHistory({ workflowBundle: { codePath: BUNDLE } }, history, id);
});

test('a history that does not fit is noticed', async () => {
  const recorded = JSON.parse(await readFile(join(HISTORIES, 'remediate-ok.json'), 'utf8')) as {
    events: { activityTaskScheduledEventAttributes?: { activityType: { name: string } } }[];
  };
  const scheduled = recorded.events.find((event) => event.activityTaskScheduledEventAttributes);
  if (scheduled?.activityTaskScheduledEventAttributes) {
    scheduled.activityTaskScheduledEventAttributes.activityType.name = 'somethingElse';
  }

  const replay = Worker.runReplayHistory({ workflowBundle: { codePath: BUNDLE } }, recorded, 'remediation/x/y/z');

  await expect(replay).rejects.toThrow(/nondeterminism|Nondeterminism|DeterminismViolation/i);
});
