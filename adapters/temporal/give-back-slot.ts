import type { Client } from '@temporalio/client';
import { SLOTS_SIGNALS } from '#contract/names.js';
import type { Workflows } from './workflows.js';
import { unlessGone } from './unless-gone.js';

export function makeGiveBackSlot(client: Client): Workflows['giveBackSlot'] {
  return ({ slots, key, claim }) => {
    const told = client.workflow.getHandle(slots).signal(SLOTS_SIGNALS.release, { key, claim });
    // It completes when nobody holds a slot, so this one was given back before.
    return unlessGone(told, undefined);
  };
}
