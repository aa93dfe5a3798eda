import type { Slot, SlotBook, SlotHolder, SlotRelease, SlotRequest } from '#contract/slots.js';

/** So that the line fits into the input of the next run. Those after them come into the line when they ask again. */
export const MAX_WAITING = 500;

/**
 * Whoever has a slot, or stands in line, keeps its place. The limit is what the configuration of the last one who asked says,
 * for all: workers read a new file at about the same time.
 */
export function acquire(book: SlotBook, { max, key, holder, run }: SlotRequest, now: number): SlotBook {
  const renewed = (one: Slot) => (one.key === key ? { ...one, holder, run } : one);
  const isKnown = [...book.held, ...book.waiting].some((one) => one.key === key);
  const { held, waiting } = { held: book.held.map(renewed), waiting: book.waiting.map(renewed) };
  if (isKnown) return served({ max, held, waiting }, now);
  return served({ max, held, waiting: [...waiting, { key, holder, run, sinceAt: now }].slice(0, MAX_WAITING) }, now);
}

/** Giving back what one has not got changes nothing. Whoever stands in line leaves it. */
export function release({ max, held, waiting }: SlotBook, given: SlotRelease, now: number): SlotBook {
  const stays = (one: SlotHolder) => one.key !== given.key || (given.run !== undefined && one.run !== given.run);
  return served({ max, held: held.filter(stays), waiting: waiting.filter(stays) }, now);
}

/** Those that are to be told that they have a slot: it is new, or they have asked again. */
export function granted(before: SlotBook, now: SlotBook): Slot[] {
  return now.held.filter((slot) => !before.held.includes(slot));
}

function served({ max, held, waiting }: SlotBook, now: number): SlotBook {
  const free = Math.max(0, max - held.length);
  const next = waiting.slice(0, free).map((waiter) => ({ ...waiter, sinceAt: now }));
  return { max, held: [...held, ...next], waiting: waiting.slice(free) };
}
