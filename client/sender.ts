import { setTimeout as wait } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { MeshEvent } from '#contract/event.js';
import { SEARCH_ATTRIBUTES, SIGNALS } from '#contract/names.js';
import { type BatchHint, watchStart } from '#contract/watch.js';
import type { Calls } from './calls.js';
import { type NotStoredReason, WatchFullError } from './errors.js';
import { isPassing, isSignalLimit } from './temporal-errors.js';
import { watchId } from '#contract/ids.js';

export interface Sender {
  /** Stores one batch of events with the watch of a tenant, which is started if it does not run. */
  send(tenant: string, batch: readonly MeshEvent[], deadlineAt: number, gapAhead: boolean): Promise<void>;
  signal(tenant: string, name: string, argument: unknown): Promise<void>;
  /** Why a batch was not stored, in a word. */
  reasonOf(error: unknown): NotStoredReason;
}

/** The watch takes no more signals in this run, and cannot begin the next one before a worker runs. */
const SIGNAL_LIMIT_PAUSE_MS = 250;

const GAP_AHEAD: BatchHint = { gapAhead: true };

export function createSender(client: Client, taskQueue: string, calls: Calls): Sender {
  const requireRoom = createWatchRoom(client);

  return {
    send: (tenant, batch, deadlineAt, gapAhead) =>
      calls.run(deadlineAt, async () => {
        await requireRoom(tenant, batch);
        await sendUntil(deadlineAt, () => signal(tenant, SIGNALS.events, batch, ...(gapAhead ? [GAP_AHEAD] : [])));
      }),
    signal,
    reasonOf(error) {
      if (error instanceof WatchFullError) return 'watch-full';
      if (calls.isOver()) return 'closed';
      return isPassing(error) || isSignalLimit(error) ? 'unreachable' : 'refused';
    },
  };

  /** The server counts this refusal among those that no retry mends, but it ends when the watch continues as new. */
  async function sendUntil(deadlineAt: number, send: () => Promise<void>): Promise<void> {
    let refusal: unknown;
    for (;;) {
      try {
        return await send();
      } catch (error) {
        // A try that only ran out of time says less than the refusal before it.
        if (!isSignalLimit(error)) throw refusal !== undefined && isPassing(error) ? refusal : error;
        refusal = error;
        if (calls.isOver() || Date.now() + SIGNAL_LIMIT_PAUSE_MS >= deadlineAt) throw error;
        await wait(SIGNAL_LIMIT_PAUSE_MS);
      }
    }
  }

  async function signal(tenant: string, name: string, ...signalArgs: unknown[]): Promise<void> {
    const { type, workflowId, input, summary, searchAttributes } = watchStart(tenant);
    await client.workflow.signalWithStart(type, {
      workflowId,
      taskQueue,
      args: [input],
      signal: name,
      signalArgs,
      staticSummary: summary,
      typedSearchAttributes: [
        {
          key: defineSearchAttributeKey('MeshTenant', SEARCH_ATTRIBUTES.MeshTenant),
          value: searchAttributes.MeshTenant,
        },
      ],
    });
  }
}

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
function createWatchRoom(client: Client): (tenant: string, batch: readonly MeshEvent[]) => Promise<void> {
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
