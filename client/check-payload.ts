import { formatPath, type Problem } from '../contract/problem.js';

export const MAX_PAYLOAD_BYTES = 256 * 1024;
export const MAX_NESTING = 64;
/** Names that change what an object is instead of what it holds, in too many programs that might read the payload. */
const REFUSED_KEYS = ['__proto__', 'constructor', 'prototype'];

/** What no payload may be: too large, too deeply nested, or carrying a key that is a trap. */
export function checkPayload(payload: Record<string, unknown>): Problem[] {
  const trap = findTrap(payload, ['payload']);
  if (trap) return [trap];
  const bytes = jsonBytes(payload);
  if (bytes === undefined)
    return [{ path: 'payload', message: 'cannot be written as JSON', expected: 'plain JSON values' }];
  if (bytes <= MAX_PAYLOAD_BYTES) return [];
  return [
    {
      path: 'payload',
      message: `is ${bytes} bytes, at most ${MAX_PAYLOAD_BYTES} are taken`,
      expected: `at most ${MAX_PAYLOAD_BYTES} bytes of JSON`,
      hint: 'report a part of it, and where the whole can be found',
    },
  ];
}

function findTrap(value: unknown, path: (string | number)[]): Problem | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (path.length > MAX_NESTING) {
    return {
      path: 'payload',
      message: `is nested more than ${MAX_NESTING} levels deep`,
      expected: `at most ${MAX_NESTING} levels`,
    };
  }
  const entries = Array.isArray(value)
    ? value.map((item: unknown, index) => [index, item] as const)
    : Object.entries(value);
  for (const [key, inner] of entries) {
    if (typeof key === 'string' && REFUSED_KEYS.includes(key)) {
      return { path: formatPath([...path, key]), message: `the key "${key}" is not taken`, hint: 'rename it' };
    }
    const trap = findTrap(inner, [...path, key]);
    if (trap) return trap;
  }
  return undefined;
}

/** Undefined for what JSON cannot hold, such as a BigInt. */
function jsonBytes(value: unknown): number | undefined {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch {
    return undefined;
  }
}
