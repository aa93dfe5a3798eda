import type { Client } from '@temporalio/client';
import { SIGNALS } from '#contract/names.js';
import { watchStart } from '#contract/watch-start.js';
import type { Workflows } from './workflows.js';
import { searchAttributePairs } from './search-attributes.js';

export function makeTellWatchOfAgents(client: Client, taskQueue: string): Workflows['tellWatchOfAgents'] {
  return (tenant, agents) => tellWatch(client, taskQueue, tenant, SIGNALS.agents, agents);
}

export function makeTellWatchOfAlert(client: Client, taskQueue: string): Workflows['tellWatchOfAlert'] {
  return (tenant, alert) => tellWatch(client, taskQueue, tenant, SIGNALS.alerts, [alert]);
}

/** A watch that has closed because nothing happened is started again, so that what it is told is not lost. */
async function tellWatch(
  client: Client,
  taskQueue: string,
  tenant: string,
  signal: string,
  news: unknown[],
): Promise<void> {
  const { type, workflowId, input, summary, searchAttributes } = watchStart(tenant);
  await client.workflow.signalWithStart(type, {
    workflowId,
    taskQueue,
    args: [input],
    signal,
    signalArgs: [news],
    staticSummary: summary,
    typedSearchAttributes: searchAttributePairs(searchAttributes),
  });
}
