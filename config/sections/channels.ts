import { z } from 'zod';
import { formatPath, type Problem } from '#contract/text/problem.js';
import { listOf, oneOf, strict, text } from '#contract/text/schema-words.js';
import { httpUrl, Name, secretOr, secretText } from './words.js';

// Every type of channel there is. What each does is in activities/actions/notify-team/channels/<type>/.

const NAME = 'a channel name: up to 60 letters, digits or . _ -';

/** What a channel of any type has: a name, unique in its team and by default its type. */
function ofEveryChannel<const Type extends string>(type: Type) {
  return {
    type: z.literal(type),
    name: text(NAME)
      .regex(/^[\w.-]{1,60}$/, { error: NAME })
      .default(type),
  };
}

/** A mail to each member. The server is `notify.smtp`, the sender `notify.fromAddress`. */
export const EmailChannel = strict(ofEveryChannel('email'));

/** One message to a channel of Slack, through an incoming webhook. */
export const SlackChannel = strict({
  ...ofEveryChannel('slack'),
  /** Anyone who knows this address can post there. */
  webhook: secretText(),
});

const SEVERITIES = ['critical', 'error', 'warning', 'info'] as const;
const RESOLVE_ON = ['task', 'tool'] as const;

/** An alert of PagerDuty, through the Events API v2. */
export const PagerDutyChannel = strict({
  ...ofEveryChannel('pagerduty'),
  /** The integration key of a service. */
  routingKey: secretText(),
  severity: oneOf(SEVERITIES).default('error'),
  /** The alert is resolved when the same task, or the same tool, succeeds later. Left out: by people only. */
  resolveOn: listOf(oneOf(RESOLVE_ON), 'a list of task, tool').min(1, { error: 'task, tool or both' }).optional(),
  url: httpUrl().default('https://events.pagerduty.com/v2/enqueue'),
});

const ADDRESS = 'an http or https address without credentials, ${env:NAME} or ${file:path}';

/** The message as JSON, signed as Standard Webhooks. */
export const WebhookChannel = strict({
  ...ofEveryChannel('webhook'),
  url: secretOr(ADDRESS, (url) => httpUrl().safeParse(url).success),
  /** `whsec_` and the key in Base64. */
  secret: secretText(),
  /** While a secret is changed: signed with both. */
  previousSecret: secretText().optional(),
  /** Sent as a bearer token, for what stands in front of the receiver. */
  token: secretText().optional(),
  /** Certificates in PEM form to trust beside those that every program trusts. */
  ca: secretText().optional(),
});

const SENDER = 'a sender: up to 60 letters, digits or _ -';

/** An entry in the file mailbox of each member: `<folder>/<team>/inboxes/<member>.json`, as agent teams use it. */
export const InboxChannel = strict({
  ...ofEveryChannel('inbox'),
  /** Relative to the configuration file; `~/` is the home folder of the worker. */
  folder: text('a folder').refine((folder) => !folder.includes('\0'), { error: 'holds a zero byte' }),
  /** What the agents call the team, where that is not its name here. */
  team: Name.optional(),
  /** Agents see it in markup of theirs. */
  from: text(SENDER)
    .regex(/^[\w-]{1,60}$/, { error: SENDER })
    .default('remediation-mesh'),
});

const CHANNELS = [EmailChannel, SlackChannel, PagerDutyChannel, WebhookChannel, InboxChannel] as const;

export const CHANNEL_TYPES = CHANNELS.map(({ shape }) => shape.type.value);

export const Channel = z.discriminatedUnion('type', CHANNELS, {
  error: (issue) => (issue.code === 'invalid_union' ? `one of ${CHANNEL_TYPES.join(', ')}` : 'a channel object'),
});
export type ChannelConfig = z.output<typeof Channel>;
export type ChannelType = ChannelConfig['type'];

/** A member or a team as part of a path, spelt as agent teams spell it. No name leads out of the folder, however it is written. */
export function inboxName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '-');
}

interface TeamOfInbox {
  members: { name: string }[];
  channels: { type: string }[];
}

/** Two members must not get one file because their names differ only in what a file name cannot hold, or in case. */
export function inboxProblems(teams: Record<string, TeamOfInbox>): Problem[] {
  return Object.entries(teams).flatMap(([team, { members, channels }]) => {
    if (!channels.some(({ type }) => type === 'inbox')) return [];
    const files = members.map(({ name }) => inboxName(name).toLowerCase());
    return members.flatMap(({ name }, index) => {
      const first = members[files.indexOf(files[index] ?? '')];
      // The same name twice is a problem of its own.
      if (first === undefined || first.name === name) return [];
      const message = `"${first.name}" and "${name}" would share one inbox file`;
      return [{ path: formatPath(['teams', team, 'members', index, 'name']), message, hint: 'rename one of them' }];
    });
  });
}
