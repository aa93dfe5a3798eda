import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { QUERIES } from '../../../contract/names.js';
import type { RemediationProgress } from '../../../contract/remediation.js';
import type { Workflows } from '../../world.js';

export function makeToldBy(client: Client): Workflows['toldBy'] {
  return async (id) => {
    try {
      const { actions } = await client.workflow.getHandle(id).query<RemediationProgress>(QUERIES.progress);
      return actions.filter((action) => action.type === 'notify_team' && hasRun(action)).map(({ action }) => action);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  };
}

/** One that is not needed, because of its `onlyIf`, is skipped without an attempt. */
function hasRun(action: RemediationProgress['actions'][number]): boolean {
  if (action.status === 'waiting') return false;
  return !('attempts' in action) || action.attempts > 0;
}
