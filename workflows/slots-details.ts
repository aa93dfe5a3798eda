import type { Slot, SlotBook } from '#contract/slots.js';
import { code, utc } from '#contract/text/markdown.js';
import { plural } from '#contract/text/words.js';

const MAX_SHOWN = 50;

/** What an operator sees beside the slots of a launcher in the Temporal UI: who has them, who waits, and what gives them back. */
export function renderSlotsDetails(launcher: string, { held, waiting }: SlotBook): string {
  if (held.length === 0) return `### No agent of ${code(launcher)} holds a slot\n\nNext: ends after a minute unused.`;
  return [
    `### ${plural(held.length, 'slot')} of ${code(launcher)} taken`,
    list(held),
    ...(waiting.length > 0 ? [`### In line: ${waiting.length}`, list(waiting)] : []),
    'Next: each is given back when its agent has ended, or once its remediation is closed and another one waits. The ' +
      'first in line is told. To give one back by hand: signal `release` with `{"key": "…"}`.',
  ].join('\n\n');
}

function list(all: readonly Slot[]): string {
  const lines = all.slice(0, MAX_SHOWN).map(({ key, sinceAt }) => `- ${code(key)} since ${utc(sinceAt)}`);
  const more = all.length - lines.length;
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}
