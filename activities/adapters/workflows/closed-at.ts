import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Workflows } from '../../world.js';

export function makeClosedAt(client: Client): Workflows['closedAt'] {
  return async (id, run) => {
    try {
      return (await client.workflow.getHandle(id, run).describe()).closeTime?.getTime();
    } catch (error) {
      // It was closed so long ago that the server has forgotten it.
      if (error instanceof WorkflowNotFoundError) return 0;
      throw error;
    }
  };
}
