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

test('there are histories of every way a remediation ends, and of a watch over continue-as-new', () => {
  expect(files).toEqual(
    expect.arrayContaining([
      'remediate-ok.json',
      'remediate-failed.json',
      'remediate-aborted.json',
      'remediate-retried.json',
      'watch-run-1.json',
      'watch-run-2.json',
    ]),
  );
});

test.each(files)('%s replays as it was recorded', async (file) => {
  const history = await readHistory(file);

  await Worker.runReplayHistory({ workflowBundle: { codePath: BUNDLE } }, history, workflowIdOf(file));
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

async function readHistory(file: string): Promise<ReturnType<typeof historyFromJSON>> {
  return historyFromJSON(JSON.parse(await readFile(join(HISTORIES, file), 'utf8')));
}

function workflowIdOf(file: string): string {
  if (file.startsWith('watch')) return 'watch/default';
  const [, rule = ''] = /^remediate-(\w+)\.json$/.exec(file) ?? [];
  return `remediation/default/${rule}/${rule}-1`;
}
