import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { MeshEvent } from '#contract/event.js';
import { watchId } from '#contract/ids.js';
import { WatchFullError } from './errors.js';

/**
 * What waits is written into the history up to three times more when it is judged: with what is asked of the matching, about as
 * much of what that answers, and with what is asked of the start of remediations. Five times this is far enough below Temporal's
 * 50 MB that several reporters at once do not overshoot that between two looks.
 */
const MAX_WAITING_BYTES = 8_000_000;
/** How much is sent between two looks at the size of the history. */
const UNCHECKED_BYTES = 2_000_000;

/**
 * A watch that cannot judge, because no worker runs or its rules cannot be read, keeps what it is sent in its history.
 * Temporal ends a workflow whose history passes 50 MB, and everything in it would be lost, so the door closes before.
 */
export function createWatchRoom(client: Client): (tenant: string, batch: readonly MeshEvent[]) => Promise<void> {
  const roomOf = new Map<string, number>();

  return async (tenant, batch) => {
    const bytes = Buffer.byteLength(JSON.stringify(batch));
    const room = (roomOf.get(tenant) ?? 0) - bytes;
    roomOf.set(tenant, room);
    if (room >= 0) return;
    const historyBytes = await historyBytesOf(client, tenant);
    if (historyBytes > MAX_WAITING_BYTES) throw new WatchFullError(tenant, historyBytes);
    roomOf.set(tenant, UNCHECKED_BYTES - bytes);
  };
}

async function historyBytesOf(client: Client, tenant: string): Promise<number> {
  try {
    const { status, historySize } = await client.workflow.getHandle(watchId(tenant)).describe();
    return status.name === 'RUNNING' ? (historySize ?? 0) : 0;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 0;
    throw error;
  }
}
