import { describeJsonError } from '../json-error.js';
import { GatewayProblem } from './gateway-problem.js';

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

/** More than an array of events with the deepest payload that is taken, so that such a payload is refused by name. */
const MAX_LEVELS = 200;

/** `JSON.parse` takes very long over a body that is nested very deep, and so does every walk through its result. */
function requireShallow(body: Uint8Array): void {
  let levels = 0;
  let isText = false;
  // All that counts is ASCII, and no byte of any other character looks like it.
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE) isText = !isText;
    else if (isText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) levels += 1;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) levels -= 1;
    if (levels > MAX_LEVELS)
      throw new GatewayProblem(
        'invalid-json',
        `the body is nested more than ${MAX_LEVELS} levels deep, at position ${at}`,
      );
  }
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}');
