import { REDACTED, type Redactor } from '../rules/redact.js';

export const MAX_TEXT_BYTES = 8 * 1024;

/** Cuts every text of a value that has been redacted; `truncated` says whether there was one to cut. */
export function cutTexts(value: unknown, redactor: Redactor): { value: unknown; truncated: boolean } {
  let truncated = false;

  function cut(inner: unknown): unknown {
    if (typeof inner === 'string') {
      if (isShort(inner)) return inner;
      truncated = true;
      return cutText(inner, redactor);
    }
    if (Array.isArray(inner)) return inner.map(cut);
    if (typeof inner !== 'object' || inner === null) return inner;
    // Entries, not assignment: a key named __proto__ must stay a key.
    return Object.fromEntries(Object.entries(inner).map(([key, item]) => [key, cut(item)]));
  }

  return { value: cut(value), truncated };
}

function isShort(text: string): boolean {
  return text.length * MAX_BYTES_OF_UNIT <= MAX_TEXT_BYTES || Buffer.byteLength(text) <= MAX_TEXT_BYTES;
}

/** What one unit of a JavaScript string takes at most in UTF-8. */
const MAX_BYTES_OF_UNIT = 3;

/**
 * The end of a text gives meaning to what stands before it, so the redactor looks again at what is left. Whoever prepares an
 * event a second time, as the gateway does after the hook, must find nothing to change.
 */
function cutText(text: string, redactor: Redactor): string {
  const bytes = Buffer.byteLength(text);
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
