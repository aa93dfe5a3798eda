import { Webhook } from 'standardwebhooks';

/** What signs with a secret, if it is one: `whsec_` and a key in Base64. The prefix may be missing. */
export function signerOf(secret: string): Webhook | undefined {
  try {
    return new Webhook(secret);
  } catch {
    // What the library says could hold a piece of it.
    return undefined;
  }
}
