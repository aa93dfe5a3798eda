import type { ChannelConfig } from '#config/sections/teams.js';
import type { OutboundAnswer } from '#adapters/http/create-outbound.js';
import type { DeliveryAnswer } from '#contract/notification.js';
import { joinLines } from '#contract/text/plain-text.js';
import { type Channel, type DeliveryWorld, HTTP_ATTEMPT_LIMIT_MS, type Parcel } from '../../channel.js';
import { postJson, refusalOf } from '../post-json.js';
import { type PagerDutyEvent, renderPagerDuty, subjectOf } from './render.js';

export type PagerDutyConfig = Extract<ChannelConfig, { type: 'pagerduty' }>;

/** An alert of PagerDuty. It stays open until somebody, or a later success, resolves it. */
export const pagerduty: Channel<PagerDutyConfig> = {
  audience: 'team',
  attemptLimitMs: HTTP_ATTEMPT_LIMIT_MS,
  refusesDigests: true,
  opensAlerts: ({ resolveOn }) => resolveOn !== undefined,
  prepare(parcel) {
    const event = renderPagerDuty(parcel);
    return {
      destination: `PagerDuty at ${parcel.channel.url}, routing key ${parcel.channel.routingKey}`,
      receiver: `PagerDuty at ${parcel.channel.url}`,
      preview: [{ part: 'body', text: JSON.stringify({ routing_key: parcel.channel.routingKey, ...event }, null, 2) }],
      send: (world) => sendToPagerDuty(event, parcel, world),
    };
  },
};

/** Tells PagerDuty. The key of the alert makes every repetition the same alert. */
export async function sendToPagerDuty(
  event: PagerDutyEvent,
  parcel: Parcel<PagerDutyConfig>,
  world: DeliveryWorld,
): Promise<DeliveryAnswer> {
  const { url, routingKey } = parcel.channel;
  const resolveOn = subjectOf(parcel);
  const key = await world.secret(routingKey);
  const body = JSON.stringify({ routing_key: key, ...event });
  const answer = await postJson({ url, body, secrets: [key] }, parcel, world);

  const refusal = refusalOf('PagerDuty', answer, world.nowMs());
  if (refusal) {
    // Its key makes a second one the same alert, so it is tried for as long as there is time.
    const { mayHaveArrived: _harmless, ...rest } = refusal;
    return { ...rest, reason: refusal.reason + errorsIn(answer) };
  }
  if (!isTaken(answer)) {
    return { delivered: false, reason: 'the address answered, but not as PagerDuty does', isFinal: false };
  }
  if (event.event_action === 'resolve') return { delivered: true, detail: 'resolved at PagerDuty' };
  return {
    delivered: true,
    detail: 'reported to PagerDuty',
    ...(resolveOn && { alert: { key: event.dedup_key, resolveOn } }),
  };
}

/** 202 is its own way to say so; some that speak its language say 200. A page of somebody else's says neither. */
function isTaken(answer: OutboundAnswer): boolean {
  return answer.kind === 'answered' && (answer.status === 202 || bodyOf(answer)['status'] === 'success');
}

const MAX_ERROR_CHARS = 200;

/** Beside its message PagerDuty says what it is about: `Length of 'routing_key' is incorrect`. */
function errorsIn(answer: OutboundAnswer): string {
  const { errors } = bodyOf(answer);
  const texts = Array.isArray(errors) ? errors.filter((error) => typeof error === 'string') : [];
  return texts.length === 0 ? '' : `: ${joinLines(texts.join('; '), MAX_ERROR_CHARS)}`;
}

function bodyOf(answer: OutboundAnswer): Record<string, unknown> {
  if (answer.kind !== 'answered') return {};
  try {
    const body: unknown = JSON.parse(answer.text);
    return typeof body === 'object' && body !== null ? { ...body } : {};
  } catch {
    return {};
  }
}
