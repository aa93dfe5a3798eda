import type { LineageClaims } from './claims.js';
import { MAX_PATH_RULES, MAX_TOKEN_CHARS, signatureOf, TOKEN_FORM } from './token.js';

/**
 * A token that proves who caused what. An agent is started with it (`MESH_LINEAGE`), and the agent's events bring it
 * back. It is signed, not hidden: only names and ids are in it.
 */
export function signLineage(claims: LineageClaims, key: string): string {
  const path = claims.path.slice(-MAX_PATH_RULES);
  for (;;) {
    const { root, depth, tenant, parent, expiresAt } = claims;
    const body = Buffer.from(JSON.stringify([root, depth, path, tenant, parent, expiresAt])).toString('base64url');
    const token = `${TOKEN_FORM}.${body}.${signatureOf(body, key)}`;
    // The rules nearest to the first event go first: they stand in the remediations before this one, too.
    if (token.length <= MAX_TOKEN_CHARS || path.shift() === undefined) return token;
  }
}
