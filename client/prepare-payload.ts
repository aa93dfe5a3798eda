import { formatPath, type Problem } from '#contract/text/problem.js';
import { REDACTED, type Redactor } from '#contract/text/redact/redact.js';

export const MAX_PAYLOAD_BYTES = 256 * 1024;
export const MAX_NESTING = 64;
/** Names that change what an object is instead of what it holds, in too many programs that might read the payload. */
const REFUSED_KEYS = ['__proto__', 'constructor', 'prototype'];

export type PreparedPayload =
  { ok: true; payload: Record<string, unknown>; truncated: boolean } | { ok: false; problems: Problem[] };

/**
 * Makes a payload fit to leave the process: plain JSON without traps, without secrets, with long texts cut. Secrets go
 * first, so that one that lies across a cut is seen whole.
 */
export function preparePayload(payload: Record<string, unknown>, redactor: Redactor): PreparedPayload {
  const plain = plainJson(payload);
  if ('problem' in plain) return refused(plain.problem);
  let truncated = false;
  const fit = redactor.value(plain.value, (written) => {
    const { text, isCut } = fitText(written, redactor);
    truncated ||= isCut;
    return text;
  });
  const bytes = Buffer.byteLength(JSON.stringify(fit));
  if (bytes > MAX_PAYLOAD_BYTES) return refused(tooLarge(`is ${bytes} bytes, at most ${MAX_PAYLOAD_BYTES} are taken`));
  return { ok: true, payload: fit as Record<string, unknown>, truncated };
}

/** What JSON makes of a value, as the receiver would see it: a date is a text, a function is nothing. */
function plainJson(payload: Record<string, unknown>): { value: Record<string, unknown> } | { problem: Problem } {
  try {
    const problem = findTrap(payload);
    if (problem) return { problem };
    const value: unknown = JSON.parse(JSON.stringify(payload));
    // Once more: `toJSON` can answer with anything.
    const hidden = findTrap(value);
    if (hidden) return { problem: hidden };
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { value: value as Record<string, unknown> };
  } catch {
    // A BigInt, or a property that throws when it is read.
  }
  return { problem: { path: 'payload', message: 'cannot be written as JSON', expected: 'plain JSON values' } };
}

function findTrap(payload: unknown): Problem | undefined {
  let left = MAX_PAYLOAD_BYTES;

  function findIn(value: unknown, path: (string | number)[]): Problem | undefined {
    if (typeof value !== 'object' || value === null) return undefined;
    if (path.length > MAX_NESTING) return tooDeep();
    // Each value takes a byte at least. Without this, few objects that are shared often enough would be walked for ever.
    left -= Array.isArray(value) ? value.length : 1;
    if (left < 0) return tooLarge(`holds more than ${MAX_PAYLOAD_BYTES} values`);
    for (const [key, inner] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
      if (typeof key === 'string' && REFUSED_KEYS.includes(key)) {
        return { path: formatPath([...path, key]), message: `the key "${key}" is not taken`, hint: 'rename it' };
      }
      const trap = findIn(inner, [...path, key]);
      if (trap) return trap;
    }
    return undefined;
  }

  return findIn(payload, ['payload']);
}

function tooDeep(): Problem {
  return {
    path: 'payload',
    message: `is nested more than ${MAX_NESTING} levels deep`,
    expected: `at most ${MAX_NESTING} levels`,
  };
}

function tooLarge(message: string): Problem {
  return {
    path: 'payload',
    message,
    expected: `at most ${MAX_PAYLOAD_BYTES} bytes of JSON`,
    hint: 'report a part of it, and where the whole can be found',
  };
}

function refused(problem: Problem): PreparedPayload {
  return { ok: false, problems: [problem] };
}

export const MAX_TEXT_BYTES = 8 * 1024;

/** A text without its secrets, cut if that is too long; `isCut` says whether it was. */
function fitText(text: string, redactor: Redactor): { text: string; isCut: boolean } {
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
