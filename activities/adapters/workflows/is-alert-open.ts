import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { watchId } from '../../../contract/ids.js';
import { QUERIES } from '../../../contract/names.js';
import type { OpenIncident } from '../../../contract/notification.js';
import type { IncidentsQuery } from '../../../contract/watch.js';
import type { Workflows } from '../../world.js';

export function makeIsAlertOpen(client: Client): Workflows['isAlertOpen'] {
  return async (tenant, alert) => {
    const watch = client.workflow.getHandle(watchId(tenant));
    try {
      return (await watch.query<OpenIncident[], [IncidentsQuery]>(QUERIES.incidents, alert)).length > 0;
    } catch (error) {
      // Nothing has happened for so long that the server has forgotten it.
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  };
}
