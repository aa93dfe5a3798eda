import { defineSignal, log, setHandler } from '@temporalio/workflow';
import { REMEDIATION_SIGNALS } from '#contract/names.js';
import type { SlotGrant } from '#contract/slots.js';

/** The slots that this remediation was told it has. */
export interface SlotGrants {
  has(grant: SlotGrant): boolean;
}

export function listenForSlots(): SlotGrants {
  const grants: SlotGrant[] = [];
  setHandler(
    defineSignal<[unknown?]>(REMEDIATION_SIGNALS.slot),
    (grant) => {
      if (!isGrant(grant)) return log.warn('ignored a signal that tells of no slot');
      grants.push(grant);
    },
    { description: 'An action of this remediation has a slot: `{"slots", "key"}`, who keeps it and its effect key.' },
  );
  return { has: ({ slots, key }) => grants.some((one) => one.slots === slots && one.key === key) };
}

/** Anyone can signal a workflow. */
function isGrant(grant: unknown): grant is SlotGrant {
  if (typeof grant !== 'object' || grant === null) return false;
  const { slots, key } = grant as Partial<Record<keyof SlotGrant, unknown>>;
  return typeof slots === 'string' && typeof key === 'string';
}
