import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { REMEDIATION_SIGNALS } from '../../../contract/names.js';
import type { Workflows } from '../../world.js';

export function makeTellRemediation(client: Client): Workflows['tellRemediation'] {
  return async (id, news) => {
    try {
      await client.workflow.getHandle(id).signal(REMEDIATION_SIGNALS.agent, news);
    } catch (error) {
      // It has ended, for instance because it was aborted: nobody waits for the news any more.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  };
}
