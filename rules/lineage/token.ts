import { createHmac } from 'node:crypto';

/** A new form of the token gets a new version. Old tokens are then refused and not misread. */
export const TOKEN_FORM = 'mesh1';

/** The field of an event in which the token comes back takes no more. */
export const MAX_TOKEN_CHARS = 4_000;

/** A token names no more rules. No chain is that deep. */
export const MAX_PATH_RULES = 20;

/** The signature covers the form too. */
export function signatureOf(body: string, key: string): string {
  return createHmac('sha256', key).update(`${TOKEN_FORM}.${body}`).digest('base64url');
}
