import type { Workflows } from '#adapters/temporal/workflows.js';
import { slotsId } from '#contract/ids.js';
import type { Slot } from '#contract/slots.js';
import { type SlotBook, acquire, release } from '#workflows/slot-book.js';

export interface SlotsInMemory extends Pick<Workflows, 'takeSlot' | 'giveBackSlot'> {
  /** Who has the slots of a launcher. */
  of(launcher: string): readonly Slot[];
}

/** That of the SDK's stand-in for a worker. */
const TASK_QUEUE = 'test';
const EMPTY: SlotBook = { held: [], kept: [], waiting: [], keptForMs: 60_000 };

/** What the workflow `slots` does for each launcher, without a server. */
export function createSlotsInMemory(): SlotsInMemory {
  const books = new Map<string, SlotBook>();
  const of = (slots: string) => books.get(slots) ?? EMPTY;
  return {
    of: (launcher) => of(slotsId(TASK_QUEUE, launcher)).held,
    async takeSlot(launcher, asked) {
      const slots = slotsId(TASK_QUEUE, launcher);
      const book = acquire(of(slots), asked, Date.now());
      books.set(slots, book);
      const isHeld = book.held.some(({ key }) => key === asked.key);
      return isHeld ? { state: 'granted' } : { state: 'busy', held: [...book.held, ...book.kept] };
    },
    async giveBackSlot({ slots, ...slot }) {
      books.set(slots, release(of(slots), slot, Date.now()));
    },
  };
}
