import { createHash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** A new bearer token. Its hash goes into `mesh.yaml`; the token itself is kept nowhere. */
export function makeToken(): { token: string; sha256: string } {
  const token = `mesh_${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return { token, sha256: hashOfToken(token).toString('hex') };
}

/** A plain hash is enough for what nobody can guess: it is no password. */
export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
