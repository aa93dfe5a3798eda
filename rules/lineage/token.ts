import { createHmac } from 'node:crypto';

/** A new form of the token gets a new one, and old tokens are then refused rather than misread. */
export const TOKEN_FORM = 'mesh1';

/** As long as the field of an event that it comes back in. */
export const MAX_TOKEN_CHARS = 4_000;

/** Rules that a token names at most; no chain is that deep. */
export const MAX_PATH_RULES = 20;

/** The form is signed too. */
export function signatureOf(body: string, key: string): string {
  return createHmac('sha256', key).update(`${TOKEN_FORM}.${body}`).digest('base64url');
}
