import type { Client } from '@temporalio/client';
import type { Workflows } from './workflows.js';

/** The server knows at once; the workflow itself learns of it from a worker. A server that does not tell says no. */
export function makeIsCancelRequested(client: Client): Workflows['isCancelRequested'] {
  return async (id, run) => {
    const { raw } = await client.workflow.getHandle(id, run).describe();
    return raw.workflowExtendedInfo?.cancelRequested === true;
  };
}
