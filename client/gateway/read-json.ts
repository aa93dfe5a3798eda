import { describeJsonError } from '../json-error.js';
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
    throw new GatewayProblem('invalid-json', `the body is not JSON: ${describeJsonError(text)}`);
  }
}
