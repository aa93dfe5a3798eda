import { Context } from '@temporalio/activity';
import { slotsId } from '#contract/ids.js';
import { workflowsQueueOf } from '#contract/names.js';
import type { SlotOwner, SlotRequest, SlotTicket } from '#contract/slots.js';
import type { World } from '../../world.js';
import type { NoSlotAnswer } from '#adapters/temporal/workflows.js';
import type { Launch } from './launch.js';

/** An agent on a live worker is gone by then: the abort reaches it with a heartbeat, and it has two seconds to end. */
const CLOSED_FOR_MS = 10_000;

type SlotWorld = Pick<World, 'workflows'>;

/**
 * Known before it is asked for, so that the very first heartbeat has it: whatever becomes of the attempt, somebody gives it
 * back. Giving back what one has not got changes nothing.
 */
export function ticketOf({ launcher, effectKey }: Pick<Launch, 'launcher' | 'effectKey'>): SlotTicket {
  const { workflowExecution, activityId, attempt, taskQueue } = Context.current().info;
  const claim = `${workflowExecution?.runId} ${activityId} ${attempt}`;
  return { slots: slotsId(workflowsQueueOf(taskQueue), launcher), key: effectKey, claim };
}

/**
 * `busy`: as many agents of this launcher as may run at a time are at work, or others have waited longer. Rejects with the
 * cancellation when the attempt is cancelled meanwhile.
 */
export async function takeSlot(
  launch: Launch,
  max: number,
  { workflows }: SlotWorld,
): Promise<{ state: 'granted' } | { state: 'busy' } | NoSlotAnswer> {
  const { launcher, request } = launch;
  const { slots, key, claim } = ticketOf(launch);
  const asked: SlotRequest = { key, claim, ...requester(), startedAt: request.startedAt, max };
  const { cancellationSignal, cancelled } = Context.current();
  const ask = async () => {
    launch.isSlotKnown = false;
    const answer = await workflows.takeSlot(launcher, asked, cancellationSignal);
    if (cancellationSignal.aborted) await cancelled;
    launch.isSlotKnown = answer.state !== 'unanswered';
    return answer;
  };
  const answer = await ask();
  if (answer.state !== 'busy') return answer;

  const abandoned = await whichAreAbandoned(answer.held, workflows);
  if (abandoned.length === 0) return answer;
  await Promise.all(abandoned.map((slot) => workflows.giveBackSlot({ slots, key: slot.key, claim: slot.claim })));
  return ask();
}

/**
 * Never rejects: what is not given back here is by the remediation, and no agent is worth being run twice for that. So is what
 * a question that nobody has answered may still be granted.
 */
export async function giveBackSlot(
  { details, isSlotKnown }: Pick<Launch, 'details' | 'isSlotKnown'>,
  { workflows }: SlotWorld,
): Promise<void> {
  const { slot } = details;
  if (!slot) return;
  try {
    await workflows.giveBackSlot(slot);
    if (isSlotKnown) delete details.slot;
  } catch (error) {
    Context.current().log.warn('could not give a slot back', { slots: slot.slots, key: slot.key, error });
  }
}

function requester(): Pick<SlotOwner, 'holder' | 'run'> {
  const { workflowId: holder = '', runId: run = '' } = Context.current().info.workflowExecution ?? {};
  return { holder, run };
}

/** Those of remediations that were terminated, for instance: such a one gives nothing back. */
async function whichAreAbandoned(held: SlotOwner[], workflows: World['workflows']): Promise<SlotOwner[]> {
  // What cannot be found out just now is no reason to fail: whoever waits asks again.
  const closedAt = ({ holder, run }: SlotOwner) => workflows.closedAt(holder, run).catch(() => undefined);
  const times = await Promise.all(held.map(closedAt));
  const latestAt = Date.now() - CLOSED_FOR_MS;
  return held.filter((_slot, index) => (times[index] ?? Infinity) <= latestAt);
}
