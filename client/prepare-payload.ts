import { formatPath, type Problem } from '#contract/text/problem.js';
import type { Redactor } from '#contract/text/redact/redact.js';
import { fitText } from './cut-texts.js';

export { MAX_TEXT_BYTES } from './cut-texts.js';
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
