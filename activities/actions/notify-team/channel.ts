// The words of this folder, in the order in which one becomes the next:
//
//   event      what was reported. A rule fired for it, and its remediation has come to a notify_team action.
//   notice     instead of an event, what brings about a digest or good news (contract/notice.ts).
//   desk       WritingDesk: what a message is written with, such as the redactor (message/).
//   message    NotificationMessage: what people are told, once for all channels, in no markup (message/).
//   draft      NotificationDraft: the message and its deliveries, or why there are none (compose.ts, compose-notice.ts).
//   delivery   this message, through one channel, to one recipient: an activity, with retries of its own (activity.ts).
//   parcel     Parcel: a delivery, and what mesh.yaml says of its channel and member at this attempt (channels/index.ts).
//   prepared   Prepared: what a channel would send, and where. A dry run ends here (channels/*/channel.ts, often with a render.ts; preview.ts).
//   answer     DeliveryAnswer: whether the receiver took it, and if not, whether to try again (channels/*/channel.ts).

import type { MeshConfig } from '#config/mesh-config.js';
import type { ChannelConfig, Member } from '#config/sections/teams.js';
import type { DeliveryAnswer, DeliveryRequest } from '#contract/notification.js';
import type { World } from '../../world.js';

/** One way to reach people. See docs/actions/notify-team.md; each is a folder in `channels/`. */
export interface Channel<Config extends ChannelConfig> {
  /** `member`: a delivery for each. `team`: one for all of them together. */
  audience: 'member' | 'team';
  /** For `member`: what somebody lacks whom this channel cannot reach, such as `an email address`. */
  lacks?(member: Member, channel: Config): string | undefined;
  /** True when what it delivers stays open at the receiver until a later success closes it. */
  opensAlerts?(channel: Config): boolean;
  /** Set when what it delivers would be an alert that somebody has to close: it gets no digests. */
  refusesDigests?: true;
  /** The most that one attempt may take, where that is less than the action has time for. */
  attemptLimitMs?: number;
  /** Pure: reads nothing and opens nothing, so that a dry run shows what would be sent, and where. */
  prepare(parcel: Parcel<Config>): Prepared;
}

/** Everything a channel may know before it sends. */
export interface Parcel<Config extends ChannelConfig> {
  /** As configured: secrets are still `${env:NAME}` or `${file:path}`. */
  channel: Config;
  team: string;
  /** Absent for a channel whose audience is the team. */
  member?: Member;
  request: DeliveryRequest;
  config: MeshConfig;
}

export interface Prepared {
  /** Where it goes, for people and without secrets: `alice <alice@example.com>`, `Slack webhook ${env:SLACK_ON_CALL}`. */
  destination: string;
  /** Who may hang without the others, such as one mail address: only a few attempts are made there at once. */
  receiver: string;
  /** What would be sent, as a person would look at it. */
  preview: { part: string; text: string }[];
  /** One attempt, to be repeated with the same effect key. Rejects only for what nobody expected. */
  send(world: DeliveryWorld): Promise<DeliveryAnswer>;
}

export interface DeliveryWorld extends Pick<World, 'mailers' | 'outbound'> {
  /** The value behind `${env:NAME}` or `${file:path}`. Rejects when there is none, which may be mended: not final. */
  secret(written: string): Promise<string>;
  /** Time for this attempt. */
  timeoutMs: number;
  /** Ends the attempt: its time is up, or the remediation is aborted. */
  signal: AbortSignal;
  nowMs(): number;
}

/** Enough for any program that answers at once. Mail servers look into a mail before they answer, so mail is without this. */
export const HTTP_ATTEMPT_LIMIT_MS = 30_000;
