import { timingSafeEqual } from 'node:crypto';
import type { ProvenLineage } from '#contract/matched.js';
import type { LineageClaims } from './claims.js';
import { MAX_PATH_RULES, MAX_TOKEN_CHARS, signatureOf, TOKEN_FORM } from './token.js';

export interface TokenCheck {
  key: string;
  /** The tenant that the event was reported for. */
  tenant: string;
  now: number;
}

/** What a token says, or why it is not believed. Any text may be given. */
export function verifyLineage(token: string, { key, tenant, now }: TokenCheck): ProvenLineage {
  if (token.length > MAX_TOKEN_CHARS) return { refused: 'its lineage token is too long' };
  const claims = readSigned(token, key);
  if (!claims) return { refused: 'its lineage token is forged' };
  if (claims.tenant !== tenant) return { refused: 'its lineage token is of another tenant' };
  if (claims.expiresAt <= now) return { refused: 'its lineage token has expired' };
  const { depth, root, parent, path } = claims;
  return { depth, root, parent, path: path.slice(-MAX_PATH_RULES) };
}

/** The token is not read before its signature is checked. */
function readSigned(token: string, key: string): LineageClaims | undefined {
  const [form, body, signature, ...rest] = token.split('.');
  if (form !== TOKEN_FORM || body === undefined || signature === undefined || rest.length > 0) return undefined;
  if (!isSame(signature, signatureOf(body, key))) return undefined;
  return readClaims(Buffer.from(body, 'base64url').toString());
}

/** The comparison takes constant time, so that nobody can find a signature byte by byte. */
function isSame(given: string, right: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Something that is not this mesh signed it with the right key: it is refused like a forged token. */
function readClaims(json: string): LineageClaims | undefined {
  let claims: unknown;
  try {
    claims = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (!Array.isArray(claims)) return undefined;
  const [root, depth, path, tenant, parent, expiresAt] = claims as unknown[];
  if (typeof root !== 'string' || typeof tenant !== 'string' || typeof parent !== 'string') return undefined;
  if (!Number.isSafeInteger(depth) || (depth as number) < 0 || !Number.isSafeInteger(expiresAt)) return undefined;
  if (!Array.isArray(path) || !path.every((rule) => typeof rule === 'string')) return undefined;
  return { root, depth: depth as number, path, tenant, parent, expiresAt: expiresAt as number };
}
