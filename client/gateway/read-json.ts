import { findJsonError } from './find-json-error.js';
import { GatewayProblem } from './gateway-problem.js';
import { requireShallow } from './require-shallow.js';

/**
 * Reads a body. Plain `JSON.parse`: a key such as `__proto__` becomes a key like any other here, and is refused by the check
 * of the payload, with its path.
 */
export function readJson(body: Buffer): unknown {
  if (body.length === 0) throw new GatewayProblem('invalid-json', 'the body is empty: expected JSON');
  requireShallow(body);
  let text: string;
  try {
    // Takes a byte order mark away, and nothing else.
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new GatewayProblem('invalid-json', 'the body is not UTF-8');
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new GatewayProblem('invalid-json', `the body is not JSON: ${describe(text)}`);
  }
}

function describe(text: string): string {
  const { offset = text.length, expected = 'a value' } = findJsonError(text) ?? {};
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - (before.lastIndexOf('\n') + 1) + 1;
  const found = offset >= text.length ? 'but it ends there' : `found ${JSON.stringify(text.at(offset))}`;
  return `at position ${offset} (line ${line}, column ${column}) expected ${expected}, ${found}`;
}
