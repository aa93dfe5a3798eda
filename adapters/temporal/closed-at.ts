import type { Client } from '@temporalio/client';
import type { Workflows } from './workflows.js';
import { unlessGone } from './unless-gone.js';

export function makeClosedAt(client: Client): Workflows['closedAt'] {
  return async (id, run) => {
    const found = await unlessGone(client.workflow.getHandle(id, run).describe(), FORGOTTEN);
    return found.closeTime?.getTime();
  };
}

/** It was closed so long ago that the server has forgotten it. */
const FORGOTTEN = { closeTime: new Date(0) };
