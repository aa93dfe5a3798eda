import { code, utc } from '#contract/text/markdown.js';
import { plural } from '#contract/text/words.js';
import type { KeptSlot, Slot, Waiter } from '#contract/slots.js';
import { type SlotBook, taken } from './slot-book.js';

const MAX_SHOWN = 50;

/** What an operator sees beside the slots of a launcher in the Temporal UI: who has them, who waits, and what gives them back. */
export function renderSlotsDetails(launcher: string, book: SlotBook): string {
  const { held, kept, waiting } = book;
  if (taken(book) === 0) return `### No agent of ${code(launcher)} holds a slot\n\nNext: ends after a minute unused.`;
  return [
    `### ${plural(taken(book), 'slot')} of ${code(launcher)} taken`,
    list([...held.map(heldLine), ...kept.map(keptLine)]),
    ...(waiting.length > 0 ? [`### In line: ${waiting.length}`, list(waiting.map(waitingLine))] : []),
    'Next: each is given back when its agent has ended, or once its remediation is closed and another one asks. The ' +
      'first in line is told. To give one back by hand: signal `release` with `{"key": "…", "claim": "…"}`.',
  ].join('\n\n');
}

function list(lines: readonly string[]): string {
  const more = lines.length - MAX_SHOWN;
  return [...lines.slice(0, MAX_SHOWN), ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

function heldLine({ key, claim, sinceAt }: Slot): string {
  return `- ${code(key)} since ${utc(sinceAt)}, claim ${code(claim)}`;
}

function keptLine({ key, claim, keptUntilAt }: KeptSlot): string {
  return `- ${code(key)} kept for it until ${utc(keptUntilAt)}, claim ${code(claim)}`;
}

function waitingLine({ key, startedAt }: Waiter): string {
  return `- ${code(key)}, which began ${utc(startedAt)}`;
}
