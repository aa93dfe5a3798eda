import { hashToken, type SpoolEntry } from '../../spool/entry.js';

/** With a token the gateway knows the tenant; so what another token was to report must not go with this one. */
export function mayPost({ tokenHash }: SpoolEntry, token: string | undefined): boolean {
  return tokenHash === undefined || (token !== undefined && tokenHash === hashToken(token));
}

/** Without the gateway nobody knows whose token it was: then the event has to name the tenant itself. */
export function mayStoreStraight({ tokenHash, event }: SpoolEntry): boolean {
  return tokenHash === undefined || event.tenant !== undefined;
}
