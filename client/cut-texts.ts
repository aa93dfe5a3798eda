import { REDACTED, type Redactor } from '#contract/text/redact/redact.js';

export const MAX_TEXT_BYTES = 8 * 1024;

/** A text without its secrets, cut if that is too long; `isCut` says whether it was. */
export function fitText(text: string, redactor: Redactor): { text: string; isCut: boolean } {
  const head = isWithin(text, MAX_READ_BYTES) ? text : startOf(text, MAX_READ_BYTES);
  const redacted = redactor.text(head);
  if (head === text && isWithin(redacted, MAX_TEXT_BYTES)) return { text: redacted, isCut: false };
  const bytes = Buffer.byteLength(redacted) + Buffer.byteLength(text) - Buffer.byteLength(head);
  return { text: cutText(head === text ? redacted : withoutEnd(redacted), bytes, redactor), isCut: true };
}

/** No more of a text is searched for secrets. What is behind would not be kept, and a text may be made to be slow. */
const MAX_READ_BYTES = 64 * 1024;

/** Half a secret looks like none. Where so many were hidden that the end is kept, what could be half of one is not. */
function withoutEnd(redacted: string): string {
  const mark = redacted.lastIndexOf(REDACTED);
  const hidden = mark === -1 ? 0 : mark + REDACTED.length;
  return redacted.slice(0, Math.max(hidden, redacted.length - MAX_HALF_CHARS));
}

const MAX_HALF_CHARS = 4 * 1024;

function isWithin(text: string, maxBytes: number): boolean {
  return text.length * MAX_BYTES_OF_UNIT <= maxBytes || Buffer.byteLength(text) <= maxBytes;
}

/** What one unit of a JavaScript string takes at most in UTF-8. */
const MAX_BYTES_OF_UNIT = 3;

/**
 * The beginning of what had so many `bytes`. The end of a text gives meaning to what stands before it, so the redactor looks again at what is left. Whoever prepares an
 * event a second time, as the gateway does after the hook, must find nothing to change.
 */
function cutText(text: string, bytes: number, redactor: Redactor): string {
  const room = MAX_TEXT_BYTES - Buffer.byteLength(mark(bytes));
  for (let spareBytes = 0; spareBytes < room; spareBytes += STEP_BYTES) {
    const head = startOf(text, room - spareBytes);
    const cut = redactor.text(head + mark(bytes - Buffer.byteLength(head)));
    if (Buffer.byteLength(cut) <= MAX_TEXT_BYTES) return cut;
  }
  return REDACTED;
}

/** For a mark that is longer than the end it stands for. */
const STEP_BYTES = 500;

function mark(moreBytes: number): string {
  return `… [cut by the mesh: ${moreBytes} more bytes]`;
}

/** As much of the beginning as fits, in whole characters: the encoder stops before one that does not fit. */
function startOf(text: string, maxBytes: number): string {
  const start = text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(maxBytes)).read);
  const last = start.slice(start.lastIndexOf('['));
  // Half a mark says nothing.
  return last !== REDACTED && REDACTED.startsWith(last) ? start.slice(0, start.length - last.length) : start;
}
