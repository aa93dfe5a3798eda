import type { Client } from '@temporalio/client';
import type { Workflows } from './workflows.js';
import { answeredInTime } from './answered-in-time.js';
import { makeAskForSlot } from './ask-for-slot.js';
import { makeClosedAt } from './closed-at.js';
import { makeIsAlertOpen } from './is-alert-open.js';
import { makeIsCancelRequested } from './is-cancel-requested.js';
import { makeIsStarted } from './is-started.js';
import { makeKeepLease } from './keep-lease.js';
import { makeStartNotice } from './start-notice.js';
import { makeStartRemediation } from './start-remediation.js';
import { makeTellRemediation } from './tell-remediation.js';
import { makeToldBy } from './told-by.js';
import { makeTellWatchOfAgents, makeTellWatchOfAlert } from './tell-watch.js';

/** For a server that is busy. An attempt has more time than this. */
const ANSWERS_WITHIN_MS = 10_000;

/**
 * Other workflows, over the worker's own connection, so that the server may hand the first task of a new remediation
 * straight to this worker. A server that takes a question and never answers fails it in time.
 */
export function createWorkflows(client: Client, taskQueue: string, answersWithinMs = ANSWERS_WITHIN_MS): Workflows {
  const inTime =
    <Question extends unknown[], Answer>(ask: (...question: Question) => Promise<Answer>) =>
    (...question: Question) =>
      answeredInTime(client, answersWithinMs, () => ask(...question));
  return {
    startRemediation: inTime(makeStartRemediation(client, taskQueue)),
    isStarted: inTime(makeIsStarted(client)),
    startNotice: inTime(makeStartNotice(client, taskQueue)),
    keepLease: inTime(makeKeepLease(client, taskQueue)),
    tellWatchOfAgents: inTime(makeTellWatchOfAgents(client, taskQueue)),
    tellWatchOfAlert: inTime(makeTellWatchOfAlert(client, taskQueue)),
    isAlertOpen: inTime(makeIsAlertOpen(client)),
    tellRemediation: inTime(makeTellRemediation(client)),
    toldBy: inTime(makeToldBy(client)),
    askForSlot: inTime(makeAskForSlot(client, taskQueue)),
    closedAt: inTime(makeClosedAt(client)),
    isCancelRequested: inTime(makeIsCancelRequested(client)),
  };
}
