import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { SLOTS_SIGNALS } from '../../../contract/names.js';
import type { Workflows } from '../../world.js';

export function makeGiveBackSlot(client: Client): Workflows['giveBackSlot'] {
  return async ({ slots, key, claim }) => {
    try {
      await client.workflow.getHandle(slots).signal(SLOTS_SIGNALS.release, { key, claim });
    } catch (error) {
      // It completes when nobody holds a slot, so this one was given back before.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  };
}
