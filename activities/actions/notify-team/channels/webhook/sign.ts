import type { DeliveryWorld } from '../../channel.js';
import type { WebhookConfig } from './channel.js';
import { Webhook } from 'standardwebhooks';

export interface SignedPart {
  id: string;
  atMs: number;
  body: string;
}

/** The headers of Standard Webhooks. While a secret is changed there are two signatures, and the receiver takes either. */
export async function sign(
  { id, atMs, body }: SignedPart,
  { secret, previousSecret }: Pick<WebhookConfig, 'secret' | 'previousSecret'>,
  world: Pick<DeliveryWorld, 'secret'>,
): Promise<{ headers: Record<string, string>; secrets: string[] }> {
  const written = [secret, ...(previousSecret === undefined ? [] : [previousSecret])];
  const secrets = await Promise.all(written.map((where) => world.secret(where)));
  const at = new Date(atMs);
  const signatures = secrets.map((value, index) => signer(value, written[index] ?? '').sign(id, at, body));
  return {
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(atMs / 1000)),
      'webhook-signature': signatures.join(' '),
    },
    secrets,
  };
}

function signer(secret: string, where: string): Webhook {
  const found = signerOf(secret);
  if (!found) throw new Error(`the signing secret ${where} is not whsec_ and a key in Base64`);
  return found;
}

/** What signs with a secret, if it is one: `whsec_` and a key in Base64. The prefix may be missing. */
export function signerOf(secret: string): Webhook | undefined {
  try {
    return new Webhook(secret);
  } catch {
    // What the library says could hold a piece of it.
    return undefined;
  }
}
