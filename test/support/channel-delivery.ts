import { join } from 'node:path';
import type { Prepared } from '#activities/actions/notify-team/channel.js';
import type { DeliveryAnswer, DeliveryRequest } from '#contract/notification.js';
import { channelOf, findParcel } from '#activities/actions/notify-team/channels/index.js';
import { createOutbound, type Outbound } from '#adapters/http/create-outbound.js';
import { parseMeshConfig } from '#config/mesh-config.js';
import { resolveSecret } from '#config/secret.js';
import { aDelivery } from './notifications.js';

export interface ChannelDelivery {
  prepare(more?: Partial<DeliveryRequest>): Prepared;
  /** One attempt, as the activity makes it. */
  deliver(more?: Partial<DeliveryRequest>): Promise<DeliveryAnswer>;
}

export interface ChannelDeliveryOptions {
  env?: Record<string, string>;
  /** Where the configuration is. */
  folder?: string;
  outbound?: Outbound;
  members?: { name: string; email?: string }[];
  team?: string;
  privateHosts?: string[];
  maxRedirects?: number;
  nowMs?: number;
}

/** One channel of a team, as configured, with real HTTP and files. Mails are the business of other tests. */
export function channelDelivery(
  channel: Record<string, unknown>,
  {
    env = {},
    folder = '/etc/mesh',
    outbound = createOutbound(),
    members = [{ name: 'ada', email: 'ada@example.com' }],
    team = 'ops',
    privateHosts = ['127.0.0.1', 'localhost'],
    maxRedirects = 0,
    nowMs = Date.now(),
  }: ChannelDeliveryOptions = {},
): ChannelDelivery {
  const written = { teams: { [team]: { members, channels: [channel] } }, outbound: { privateHosts, maxRedirects } };
  const parsed = parseMeshConfig(JSON.stringify(written), join(folder, 'mesh.yaml'));
  if (!parsed.ok) throw new Error(`the configuration of this test is not valid: ${JSON.stringify(parsed.problems)}`);
  const config = parsed.value;
  const name = config.teams[team]?.channels[0]?.name ?? '';

  function request(more: Partial<DeliveryRequest>): DeliveryRequest {
    return aDelivery({ team, channel: name, recipient: members[0]?.name ?? '', ...more });
  }

  function prepare(more: Partial<DeliveryRequest> = {}): Prepared {
    const parcel = findParcel(config, request(more));
    if ('gone' in parcel) throw new Error(parcel.gone);
    return channelOf(parcel.channel).prepare(parcel);
  }

  return {
    prepare,
    deliver(more = {}) {
      const { timeoutMs } = request(more);
      return prepare(more).send({
        mailers: { to: noMail, close: () => undefined },
        outbound,
        secret: (where) => resolveSecret(where, folder, env),
        timeoutMs,
        signal: AbortSignal.timeout(timeoutMs),
        nowMs: () => nowMs,
      });
    },
  };
}

function noMail(): never {
  throw new Error('this test sends no mail');
}
