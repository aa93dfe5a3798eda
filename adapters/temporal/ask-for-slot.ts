import type { Client } from '@temporalio/client';
import { slotsId } from '#contract/ids.js';
import { SLOTS_SIGNALS, WORKFLOW_TYPES } from '#contract/names.js';
import type { SlotsInput } from '#contract/slots.js';
import { summaryOf } from '#contract/text/shorten.js';
import type { Workflows } from './workflows.js';

/** Starts the workflow that keeps the slots of the launcher where it is not there: it ends when nobody needs one. */
export function makeAskForSlot(client: Client, taskQueue: string): Workflows['askForSlot'] {
  return async (launcher, asked) => {
    const workflowId = slotsId(taskQueue, launcher);
    await client.workflow.signalWithStart(WORKFLOW_TYPES.slots, {
      workflowId,
      taskQueue,
      args: [{ launcher } satisfies SlotsInput],
      signal: SLOTS_SIGNALS.acquire,
      signalArgs: [asked],
      staticSummary: summaryOf(`Keeps the slots of launcher ${launcher}: who runs an agent through it`),
    });
    return workflowId;
  };
}
