import { CancellationScope, getExternalWorkflowHandle, log } from '@temporalio/workflow';
import { SLOTS_SIGNALS } from '#contract/names.js';
import type { SlotTicket, SlotRelease } from '#contract/slots.js';

/**
 * Gives back slots, and leaves lines, for activities that could not: they have long been done, or their worker died. Also when
 * the remediation is aborted. No attempt is left then, so it does not matter which of them had the slot.
 */
export async function giveBackSlots(tickets: SlotTicket[]): Promise<void> {
  const different = tickets.filter((one, at) => tickets.findIndex((other) => isSameSlot(one, other)) === at);
  for (const ticket of different) await giveBack(ticket);
}

/** Whichever attempt has it. */
export function isSameSlot(one: SlotTicket, other: SlotTicket): boolean {
  return one.slots === other.slots && one.key === other.key;
}

async function giveBack({ slots, key }: SlotTicket): Promise<void> {
  try {
    const handle = getExternalWorkflowHandle(slots);
    const release: SlotRelease = { key };
    await CancellationScope.nonCancellable(() => handle.signal(SLOTS_SIGNALS.release, release));
  } catch (error) {
    // It completes when nobody holds a slot, so this one was given back before.
    log.warn('could not give a slot back', { slots, error });
  }
}
