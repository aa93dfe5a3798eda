import { createHash } from 'node:crypto';
import { GatewayProblem } from './gateway-problem.js';

/** As `EVENT_ID` of the contract. */
const FITS_AS_ID = /^[\w.:@+=~-]{1,200}$/;
const MAX_CHARS = 500;

/**
 * The id that an `Idempotency-Key` gives an event which has none. A second request with the same key is then a copy of the
 * first, whichever gateway it reaches, and the watch acts on it once.
 */
export function withIdempotencyKey(key: string | string[] | undefined, inputs: unknown[], isArray: boolean): unknown[] {
  if (key === undefined) return inputs;
  if (typeof key !== 'string' || !/^[\x20-\x7e]+$/.test(key) || key.trim() === '' || key.length > MAX_CHARS) {
    throw wrong(`expected 1 to ${MAX_CHARS} printable ASCII characters`);
  }
  if (isArray) throw wrong('goes with a single event; give each event of an array an id of its own');
  const [input] = inputs;
  if (typeof input !== 'object' || input === null) return inputs;
  const id = idFromKey(key.trim());
  const own = 'id' in input ? input.id : undefined;
  if (own === undefined) return [{ ...input, id }];
  if (own === id || own === key.trim()) return inputs;
  throw wrong('differs from the id of the event: give only one of them');
}

function idFromKey(key: string): string {
  if (FITS_AS_ID.test(key)) return key;
  return `key-${createHash('sha256').update(key).digest('base64url').slice(0, 32)}`;
}

function wrong(message: string): GatewayProblem {
  return new GatewayProblem('invalid-request', `Idempotency-Key ${message}`, {
    problems: [{ path: 'Idempotency-Key', message }],
  });
}
