import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { DEFAULT_TENANT } from '#contract/names.js';
import { type Role, ROLES } from '#contract/roles.js';

/** The caller to whom a token belongs. */
export interface Principal {
  name: string;
  tenant: string;
  roles: readonly Role[];
}

export interface Access {
  /** No tokens are configured. Then every caller may do everything, and only this machine may call. */
  isOpen: boolean;
  /** The tenants that the gateway serves. */
  tenants: readonly string[];
  find(token: string): Principal | undefined;
  /** The same by the hash of a token, for what was written down to be sent later. */
  findByHash(sha256: string): Principal | undefined;
}

export interface KnownToken extends Principal {
  /** Hashes of the tokens that are good now; two while one replaces the other. */
  sha256: readonly string[];
}

/** Who may come in, by bearer token. */
export function createAccess(tokens: readonly KnownToken[]): Access {
  const known = tokens.flatMap(({ name, tenant, roles, sha256 }) =>
    sha256.map((hex) => ({ hash: Buffer.from(hex, 'hex'), principal: { name, tenant, roles } })),
  );
  return {
    isOpen: tokens.length === 0,
    tenants: tokens.length === 0 ? [DEFAULT_TENANT] : [...new Set(tokens.map(({ tenant }) => tenant))].sort(),
    find: (token) => owner(hashOfToken(token)),
    findByHash: (sha256) => owner(Buffer.from(sha256, 'hex')),
  };

  /** All tokens are compared, each in the same time. The time then says nothing about which one was nearly right. */
  function owner(given: Buffer): Principal | undefined {
    return known.filter(({ hash }) => hash.length === given.length && timingSafeEqual(hash, given))[0]?.principal;
  }
}

/** The caller while there are no tokens. */
export const ANYONE: Principal = { name: 'anyone', tenant: DEFAULT_TENANT, roles: ROLES };

/** The caller of a route that needs no token. */
export const NOBODY: Principal = { name: '', tenant: '', roles: [] };

const SECRET_BYTES = 32;

/** A new bearer token. Its hash goes into `mesh.yaml`; the token itself is kept nowhere. */
export function makeToken(): { token: string; sha256: string } {
  const token = `mesh_${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return { token, sha256: hashOfToken(token).toString('hex') };
}

/** A plain hash is enough for what nobody can guess: it is no password. */
function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
