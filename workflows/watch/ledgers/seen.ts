import type { GuardMemory } from '#rules/guards/memory.js';
import { markSeen } from '#rules/guards/seen.js';
import type { Ledger } from './ledger.js';

/** Ids of events that were judged: hashed, oldest first, parted by spaces. */
export function createSeen(memory: GuardMemory): Ledger<string> {
  return {
    load(saved) {
      for (const id of saved === '' ? [] : saved.split(' ')) memory.seen.add(id);
    },
    save: () => [...memory.seen].join(' '),
    learn({ seenId }) {
      if (seenId !== undefined) markSeen(memory, seenId);
    },
    show: () => ({ guards: { seenIds: memory.seen.size } }),
  };
}
