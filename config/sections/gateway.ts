import { z } from 'zod';
import { MeshEvent } from '#contract/event.js';
import { DEFAULT_TENANT } from '#contract/names.js';
import { formatPath, type Problem } from '#contract/text/problem.js';
import { ROLES, TOKEN_SHA256 } from '#contract/roles.js';
import { listOf, oneOf, strict, text, wholeNumber } from '#contract/text/schema-words.js';
import { Name } from './words.js';

const SHA256 = 'a SHA-256 hash as `mesh token new` prints it: 64 lower-case hexadecimal digits';
const ORIGIN = 'an origin such as https://console.example.com, without a path';
const HOST = 'a host name without a port';
const EVENTS_PER_SECOND = 5_000;

/** A token of the gateway, which is kept here as a hash only. */
const Token = strict({
  name: Name,
  /** Two while a new token replaces an old one. */
  sha256: listOf(
    z.string({ error: SHA256 }).regex(TOKEN_SHA256, { error: SHA256 }),
    'a list of one or two SHA-256 hashes',
  )
    .min(1, { error: 'at least one hash' })
    .max(2, { error: 'at most two hashes: the new one and the one it replaces' }),
  tenant: MeshEvent.shape.tenant.default(DEFAULT_TENANT),
  roles: listOf(oneOf(ROLES), `a list of roles: ${ROLES.join(', ')}`).min(1, { error: 'at least one role' }),
});

export const Gateway = strict({
  tokens: listOf(Token, 'a list of tokens').default([]),
  /** Web pages that may call, such as `https://console.example.com`. */
  allowedOrigins: listOf(text(ORIGIN).refine(isOrigin, { error: `is not ${ORIGIN}` }), 'a list of origins').default([]),
  /** Names by which the gateway is called. */
  allowedHosts: listOf(
    text(HOST).regex(/^([a-z\d.-]+|\[[\da-f:.]+\])$/i, { error: HOST }),
    'a list of host names',
  ).default([]),
  eventsPerSecond: wholeNumber(1, 100_000).default(EVENTS_PER_SECOND),
});
export type Gateway = z.output<typeof Gateway>;

/** A hash that stands twice would leave open whose token it is. */
export function tokenProblems(tokens: Gateway['tokens']): Problem[] {
  const hashes = tokens.flatMap(({ sha256 }) => sha256);
  const names = tokens.map(({ name }) => name);
  return tokens.flatMap(({ name, sha256 }, index) => {
    const at = (...keys: (string | number)[]) => formatPath(['gateway', 'tokens', index, ...keys]);
    const isNameTaken = names.indexOf(name) !== index;
    const twice = sha256.findIndex((hash) => hashes.indexOf(hash) !== hashes.lastIndexOf(hash));
    return [
      ...(isNameTaken ? [{ path: at('name'), message: `duplicate token "${name}"` }] : []),
      ...(twice >= 0 ? [{ path: at('sha256', twice), message: 'this hash stands here more than once' }] : []),
    ];
  });
}

function isOrigin(written: string): boolean {
  try {
    return /^https?:/.test(written) && new URL(written).origin === written;
  } catch {
    return false;
  }
}
