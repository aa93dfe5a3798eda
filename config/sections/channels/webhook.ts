import { z } from 'zod';
import { strict } from '#contract/text/schema-words.js';
import { SECRET } from '../../secret.js';
import { httpUrl } from '../http-url.js';
import { secretText } from '../secret-text.js';
import { ofEveryChannel } from './of-every-channel.js';

const ADDRESS = 'an http or https address without credentials, ${env:NAME} or ${file:path}';

/** The message as JSON, signed as Standard Webhooks. */
export const WebhookChannel = strict({
  ...ofEveryChannel('webhook'),
  url: z
    .string({ error: ADDRESS })
    .refine((url) => SECRET.test(url) || httpUrl().safeParse(url).success, { error: `is not ${ADDRESS}` }),
  /** `whsec_` and the key in Base64. */
  secret: secretText(),
  /** While a secret is changed: signed with both. */
  previousSecret: secretText().optional(),
  /** Sent as a bearer token, for what stands in front of the receiver. */
  token: secretText().optional(),
  /** Certificates in PEM form to trust beside those that every program trusts. */
  ca: secretText().optional(),
});
