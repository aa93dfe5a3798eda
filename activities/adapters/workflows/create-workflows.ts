import type { Client } from '@temporalio/client';
import type { Workflows } from '../../world.js';
import { makeKeepLease } from './keep-lease.js';
import { makeStartNotice } from './start-notice.js';
import { makeStartRemediation } from './start-remediation.js';
import { makeTellRemediation } from './tell-remediation.js';
import { makeTellWatchOfAgents, makeTellWatchOfIncident } from './tell-watch.js';

/**
 * Other workflows, over the worker's own connection, so that the server may hand the first task of a new remediation
 * straight to this worker.
 */
export function createWorkflows(client: Client, taskQueue: string): Workflows {
  return {
    startRemediation: makeStartRemediation(client, taskQueue),
    startNotice: makeStartNotice(client, taskQueue),
    keepLease: makeKeepLease(client, taskQueue),
    tellWatchOfAgents: makeTellWatchOfAgents(client, taskQueue),
    tellWatchOfIncident: makeTellWatchOfIncident(client, taskQueue),
    tellRemediation: makeTellRemediation(client),
  };
}
