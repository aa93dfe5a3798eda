import { judgeStatus, type OutboundAnswer } from '#adapters/http/create-outbound.js';
import type { DeliveryWorld, Parcel } from '../channel.js';
import type { DeliveryAnswer } from '#contract/notification.js';
import type { ChannelConfig } from '#config/sections/teams.js';

export interface JsonPost {
  url: string;
  body: string;
  headers?: Record<string, string>;
  /** What must not stand in any reason, beside the address if that is one. */
  secrets: string[];
  ca?: string | undefined;
}

type Line = Pick<DeliveryWorld, 'outbound' | 'timeoutMs' | 'signal'>;

/** One attempt. What leaves the machine does so here. */
export function postJson(
  { url, body, headers = {}, secrets, ca }: JsonPost,
  { config }: Pick<Parcel<ChannelConfig>, 'config'>,
  { outbound, timeoutMs, signal }: Line,
): Promise<OutboundAnswer> {
  return outbound.send(
    {
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'remediation-mesh', ...headers },
      body,
      timeoutMs,
      signal,
      secrets,
      ...(ca !== undefined && { ca }),
    },
    config.outbound,
  );
}

type Refusal = Extract<DeliveryAnswer, { delivered: false }>;

/**
 * Why a post was not taken, in words that name who did not; nothing when it was answered well. Only what the receiver itself
 * refuses (4xx) is final: certificates, networks, redirects and addresses are mended while a message waits, and each attempt
 * reads the configuration anew.
 */
export function refusalOf(who: string, answer: OutboundAnswer, nowMs: number): Refusal | undefined {
  switch (answer.kind) {
    case 'cancelled':
    case 'failed': {
      const why = answer.kind === 'failed' ? answer.reason : 'the message was given up';
      if (!answer.mayHaveArrived) return { delivered: false, reason: `${who} did not take it: ${why}`, isFinal: false };
      const reason = `${who} did not say whether it took it: ${why}`;
      return { delivered: false, reason, isFinal: false, mayHaveArrived: true };
    }
    case 'answered': {
      const verdict = judgeStatus(answer, nowMs);
      if (verdict.ok) return undefined;
      const { reason, isFinal, retryAfterMs } = verdict;
      return {
        delivered: false,
        reason: `${who} ${reason}`,
        isFinal: isFinal && answer.status >= 400,
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      };
    }
  }
}
