import { z } from 'zod';

/** An address that is no secret. One with credentials in it would stand in messages and logs. */
export function httpUrl() {
  return z
    .url({ protocol: /^https?$/, error: 'an http or https address' })
    .refine((url) => !URL.canParse(url) || new URL(url).username + new URL(url).password === '', {
      error: 'holds a user name or a password',
    });
}
