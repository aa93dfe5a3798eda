import { defineSignal, log, setHandler } from '@temporalio/workflow';
import { REMEDIATION_SIGNALS } from '#contract/names.js';
import type { SlotTurn } from '#contract/slots.js';

/** The agents of this remediation whose turn has come, by their effect keys. */
export interface SlotTurns {
  has(key: string): boolean;
  /** It asks again, and may have to wait again. */
  forget(key: string): void;
}

export function listenForSlots(): SlotTurns {
  const keys = new Set<string>();
  setHandler(
    defineSignal<[unknown?]>(REMEDIATION_SIGNALS.slot),
    (turn) => {
      if (!isTurn(turn)) return log.warn('ignored a signal that tells of no turn');
      keys.add(turn.key);
    },
    { description: 'A slot is kept for an agent of this remediation that waits for one: `{"key"}`, its effect key.' },
  );
  return { has: (key) => keys.has(key), forget: (key) => void keys.delete(key) };
}

/** Anyone can signal a workflow. */
function isTurn(turn: unknown): turn is SlotTurn {
  return typeof turn === 'object' && turn !== null && 'key' in turn && typeof turn.key === 'string';
}
