import { renderMail } from '#activities/actions/notify-team/channels/email/channel.js';
import { renderEntry } from '#activities/actions/notify-team/channels/inbox/channel.js';
import type { InboxEntry } from '#adapters/files/splice.js';
import { type PagerDutyEvent, renderPagerDuty } from '#activities/actions/notify-team/channels/pagerduty/render.js';
import { renderSlack, type SlackMessage } from '#activities/actions/notify-team/channels/slack/render.js';
import { renderWebhook, type WebhookBody } from '#activities/actions/notify-team/channels/webhook/render.js';
import { webhookId } from '#activities/actions/notify-team/channels/webhook/channel.js';
import type { Parcel } from '#activities/actions/notify-team/channel.js';
import type { Mail } from '#adapters/mail/mail.js';
import { findParcel } from '#activities/actions/notify-team/channels/index.js';
import { writeMessage, type WritingDesk } from '#activities/actions/notify-team/message/write-message.js';
import { writeDigest, writeResolved } from '#activities/actions/notify-team/message/write-notice.js';
import { redactorOf } from '#activities/redactor-of.js';
import { parseMeshConfig } from '#config/mesh-config.js';
import type { NotificationMessage } from '#contract/notification.js';
import type { ChannelConfig, ChannelType } from '#config/sections/teams.js';
import type { Recorded, Told } from './recorded.js';
import { configOf, type Places } from './story.js';

export type StoryMessage = keyof Recorded;

/** What each channel is given to send, as the renderers make it now. */
export interface Written {
  message: NotificationMessage;
  mails: Mail[];
  slack: SlackMessage[];
  pagerduty: PagerDutyEvent[];
  webhook: { id: string; body: WebhookBody }[];
  inbox: { file: string; entry: InboxEntry }[];
}

export interface Setting {
  places: Places;
  temporalAddress: string;
}

export function writeMessages(recorded: Recorded, setting: Setting): Record<StoryMessage, Written> {
  const desk = deskOf(setting);
  const { incident, hostile, digest, resolved } = recorded;
  return {
    incident: written(writeMessage(incident.asked, at(desk, incident.asked)), incident.deliveries, desk),
    hostile: written(writeMessage(hostile.asked, at(desk, hostile.asked)), hostile.deliveries, desk),
    digest: written(writeDigest(digest.asked, desk), digest.deliveries, desk),
    resolved: written(writeResolved(resolved.asked, desk), resolved.deliveries, desk),
  };
}

function deskOf({ places, temporalAddress }: Setting): WritingDesk {
  const parsed = parseMeshConfig(JSON.stringify(configOf(places)), '/etc/mesh/mesh.yaml');
  if (!parsed.ok) throw new Error(`the configuration of the story is not valid: ${JSON.stringify(parsed.problems)}`);
  const config = parsed.value;
  const world = { temporalUi: undefined, temporal: { address: temporalAddress, namespace: 'default' } };
  return { config, redactor: redactorOf(config, []), world, nowMs: 0 };
}

/** While the rule is quiet. */
function at(desk: WritingDesk, { remediation }: Recorded['incident']['asked']): WritingDesk {
  return { ...desk, nowMs: remediation.firedAt };
}

function written(message: NotificationMessage, deliveries: Told[], { config }: WritingDesk): Written {
  const parcels = deliveries.map((told) => {
    const parcel = findParcel(config, { ...told, message });
    if ('gone' in parcel) throw new Error(parcel.gone);
    return parcel;
  });
  return {
    message,
    mails: parcelsOf('email', parcels).map(renderMail),
    slack: parcelsOf('slack', parcels).map(() => renderSlack(message)),
    pagerduty: parcelsOf('pagerduty', parcels).map(renderPagerDuty),
    webhook: parcelsOf('webhook', parcels).map((parcel) => ({
      id: webhookId(parcel.request.effectKey),
      body: renderWebhook(parcel),
    })),
    inbox: parcelsOf('inbox', parcels).map((parcel) => ({
      file: `${parcel.team}/inboxes/${parcel.member?.name}.json`,
      entry: renderEntry(parcel),
    })),
  };
}

function parcelsOf<Type extends ChannelType>(type: Type, parcels: Parcel<ChannelConfig>[]) {
  type One = Parcel<Extract<ChannelConfig, { type: Type }>>;
  return parcels.filter((parcel): parcel is One => parcel.channel.type === type);
}
