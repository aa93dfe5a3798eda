/** Room for one agent of a launcher. The workflow `slots` keeps who has them, one list per launcher, over all workers. */
export interface Slot extends SlotHolder {
  sinceAt: number;
}

/** Who has a slot, or waits for one: an action of a remediation. */
export interface SlotHolder {
  /** Effect key of the action: of one launcher it has one slot at most. */
  key: string;
  /** Workflow id of the remediation, and its run: once that is closed, nobody else gives the slot back. */
  holder: string;
  run: string;
}

/** A signal to the workflow. Asking again under the same key changes nobody's turn. */
export interface SlotRequest extends SlotHolder {
  /** How many slots there are, as the configuration of whoever asks says just now. */
  max: number;
}

export type Waiter = Slot;

/** A signal to the workflow, also by hand. With a run it is for the slot of that run only, and not for that of a later one. */
export type SlotRelease = Pick<SlotHolder, 'key'> & Partial<Pick<SlotHolder, 'run'>>;

/** The signal to a remediation: this slot is its own now. `slots`: the workflow that keeps it. */
export interface SlotGrant extends Pick<SlotHolder, 'key'> {
  slots: string;
}

/** Who has the slots of a launcher, and who waits for one, the first first. */
export interface SlotBook {
  max: number;
  held: readonly Slot[];
  waiting: readonly Waiter[];
}

export interface SlotsInput extends Partial<SlotBook> {
  launcher: string;
  /** Of those that have a slot: who may not know it yet. */
  untold?: readonly Slot[];
  /** Complete when nobody has held a slot for so long. */
  idleMs?: number;
  /** While somebody waits: how often it is looked whether the remediations of those that have a slot are closed. */
  lookMs?: number;
  /** Continue as new after so many changes. */
  maxNews?: number;
}
