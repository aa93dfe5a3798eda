import { createHash } from 'node:crypto';

/** SHA-256 in hexadecimal, which never looks like a secret. Not for the workflow sandbox, which has no hashing. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A short name of any text, which ids are made of. As JSON, since a lone surrogate has no bytes of its own. */
export function shortHash(text: string): string {
  return sha256(JSON.stringify(text)).slice(0, 32);
}
