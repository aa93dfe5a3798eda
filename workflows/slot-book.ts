import type { KeptSlot, Slot, SlotRelease, SlotRequest, Waiter } from '#contract/slots.js';

/** Who has a slot of a launcher, for whom one is kept, and who stands in line for one, the first first. */
export interface SlotBook {
  held: readonly Slot[];
  /** It is their turn, and they are told. Nobody else gets these slots meanwhile. */
  kept: readonly KeptSlot[];
  waiting: readonly Waiter[];
  /** A slot is kept for this long; then it is the turn of the next. */
  keptForMs: number;
}

/** Three times as long as a remediation waits at most before it asks again unbidden. */
export const FORGOTTEN_AFTER_MS = 15 * 60_000;
/** Those after them come into the line when they ask again. */
export const MAX_WAITING = 300;

/** Whoever has a slot has it still. Anybody else takes its place in line, and has a slot at once if it is its turn. */
export function acquire(book: SlotBook, asked: SlotRequest, now: number): SlotBook {
  const had = book.held.find(({ key }) => key === asked.key);
  if (had) return hold(book, asked, had.sinceAt);

  const wasKept = book.kept.some(({ key }) => key === asked.key);
  const others = without(book, asked.key);
  // The limit may have sunk since it was kept.
  if (wasKept && taken(others) < asked.max) return hold(others, asked, now);

  const waiting = inLine([...others.waiting.map((other) => raised(other, asked.max)), { ...asked, askedAt: now }]);
  return claimTurn(served({ ...others, waiting }, now), asked, now);
}

/** Giving back what one has not got changes nothing. Whoever stands in line leaves it. */
export function release(book: SlotBook, { key, claim }: SlotRelease, now: number): SlotBook {
  const stays = (one: Slot | Waiter) => one.key !== key || (claim !== undefined && one.claim !== claim);
  const { held, kept, waiting } = book;
  return served({ ...book, held: held.filter(stays), kept: kept.filter(stays), waiting: waiting.filter(stays) }, now);
}

/** Nobody has come for these in time, or nobody can: it is the turn of the next. */
export function expire(book: SlotBook, expired: readonly KeptSlot[], now: number): SlotBook {
  return served({ ...book, kept: book.kept.filter((one) => !isAmong(expired, one)) }, now);
}

export function overdue({ kept }: SlotBook, now: number): KeptSlot[] {
  return kept.filter(({ keptUntilAt }) => keptUntilAt <= now);
}

/** Kept now, and not before: whose turn it has become. */
export function newlyKept(before: SlotBook, { kept }: SlotBook): KeptSlot[] {
  return kept.filter((one) => !isAmong(before.kept, one));
}

/** Slots that nobody else can have now. */
export function taken({ held, kept }: SlotBook): number {
  return held.length + kept.length;
}

function isAmong(all: readonly KeptSlot[], { key, keptUntilAt }: KeptSlot): boolean {
  return all.some((one) => one.key === key && one.keptUntilAt === keptUntilAt);
}

function hold(book: SlotBook, asked: SlotRequest, sinceAt: number): SlotBook {
  const others = without(book, asked.key);
  const { key, claim, holder, run } = asked;
  return { ...others, held: [...others.held, { key, claim, holder, run, sinceAt }] };
}

function without(book: SlotBook, key: string): SlotBook {
  const isOther = (one: Slot | Waiter) => one.key !== key;
  const { held, kept, waiting } = book;
  return { ...book, held: held.filter(isOther), kept: kept.filter(isOther), waiting: waiting.filter(isOther) };
}

/**
 * A raised limit is there for those in line at once. Not so a lower one: each learns of that when it asks, and workers with
 * different files would else take the turn from each other's.
 */
function raised(waiter: Waiter, max: number): Waiter {
  return { ...waiter, max: Math.max(waiter.max, max) };
}

/**
 * Whoever asks takes the slot that is kept for it by now. Or one that is only kept for somebody younger, who goes back into the
 * line: else, where each comes too late for its own turn, a free slot would go round for ever.
 */
function claimTurn(book: SlotBook, asked: SlotRequest, now: number): SlotBook {
  if (book.kept.some(({ key }) => key === asked.key)) return hold(book, asked, now);
  const younger = taken(book) <= asked.max ? keptForYoungest(book, asked) : undefined;
  if (!younger) return book;
  const { keptUntilAt: _over, ...waiter } = younger;
  const others = without(book, younger.key);
  return hold({ ...others, waiting: inLine([...others.waiting, waiter]) }, asked, now);
}

function keptForYoungest({ kept }: SlotBook, { startedAt }: SlotRequest): KeptSlot | undefined {
  const younger = kept.filter((one) => one.startedAt > startedAt);
  return younger.sort((one, other) => other.startedAt - one.startedAt)[0];
}

/** Keeps what is free for the first in line. One that has not asked for long is dead: whoever is alive asks again. */
function served(book: SlotBook, now: number): SlotBook {
  const waiting = book.waiting.filter(({ askedAt }) => now - askedAt < FORGOTTEN_AFTER_MS);
  // Each goes by its own limit: one that sees no room holds up nobody who does.
  const next = waiting.find(({ max }) => taken(book) < max);
  if (!next) return { ...book, waiting };
  const kept = [...book.kept, { ...next, keptUntilAt: now + book.keptForMs }];
  return served({ ...book, kept, waiting: waiting.filter((waiter) => waiter !== next) }, now);
}

/** By age, so that whoever was forgotten, or comes when the workflow is new, gets back to its place. */
function inLine(waiting: Waiter[]): Waiter[] {
  return waiting.sort((one, other) => one.startedAt - other.startedAt).slice(0, MAX_WAITING);
}
