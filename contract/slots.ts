/** Room for one agent of a launcher. The workflow `slots` keeps who has them, one list per launcher, over all workers. */
export interface Slot {
  /** Effect key of the agent: whoever asks for the same agent again has its slot already. */
  key: string;
  /** The attempt that has it. One before that, which a worker was late to give up, has nothing to give back. */
  claim: string;
  /** Workflow id of the remediation, and its run: once that is closed, nobody else gives the slot back. */
  holder: string;
  run: string;
  sinceAt: number;
}

export type SlotRequest = SlotOwner & {
  /** When its action began: of those that wait, the oldest is the first. */
  startedAt: number;
  /** How many there are, as the configuration says just now. */
  max: number;
};

export type Waiter = SlotRequest & { askedAt: number };

/** A slot for one that has waited: it has it when it asks again, unless that takes longer than this. */
export type KeptSlot = Waiter & { keptUntilAt: number };

/** Whose slot it is: enough to see whether its remediation is closed, and to give it back. */
export type SlotOwner = Pick<Slot, 'key' | 'claim' | 'holder' | 'run'>;

/** What one worker asks at once about one launcher. */
export interface SlotQuestion {
  requests: readonly SlotRequest[];
}

/** Longer questions are refused: question and reply are written into the history. */
export const MAX_ASKED_TOGETHER = 50;

/**
 * `granted`: the keys of those that have a slot now. The others stand in line, and their remediations get the signal `slot`
 * when it is their turn. `held`: if there are such, some of those that have the slots, others each time, so that whoever asks
 * can see whether their remediations are closed.
 */
export interface SlotReply {
  granted: string[];
  held: SlotOwner[];
}

/** The part of the reply that one request is concerned with. `busy`: it stands in line now. */
export type SlotAnswer = { state: 'granted' } | { state: 'busy'; held: SlotOwner[] };

/** What it takes to give a slot back, or to leave the line. `slots`: the workflow that keeps it. */
export interface SlotTicket extends Pick<Slot, 'key' | 'claim'> {
  slots: string;
}

/** Without a claim it is that of a remediation, which knows that no attempt is left. */
export type SlotRelease = Pick<Slot, 'key'> & Partial<Pick<Slot, 'claim'>>;

/** Told to the remediation whose agent's turn it is. */
export type SlotTurn = Pick<Slot, 'key'>;

export interface SlotsInput {
  launcher: string;
  held?: readonly Slot[];
  kept?: readonly KeptSlot[];
  waiting?: readonly Waiter[];
  /** Complete when nobody has held a slot for so long. */
  idleMs?: number;
  /** How long a slot is kept for whoever is told that it is its turn. */
  keptForMs?: number;
  /** Continue as new after so many questions and releases. */
  maxNews?: number;
}
