import type { NotificationMessage } from '#contract/notification.js';
import { shownText } from '#contract/text/plain-text.js';
import { shortHash } from '#contract/hash.js';
import type { Parcel } from '../../channel.js';
import { wordsOfQuiet } from '../../message/what-next.js';
import { wholeBody } from '../../message/words-of-message.js';
import type { WebhookConfig } from './channel.js';

const MAX_TEXT_CHARS = 20_000;
const MAX_VALUE_CHARS = 4_000;

export type WebhookBody = ReturnType<typeof renderWebhook>;

/** Described in docs/actions/notify-team.md: receivers hold on to it, so nothing in it changes its meaning. */
export function renderWebhook({ team, request }: Parcel<WebhookConfig>) {
  const { message, effectKey, threadKey } = request;
  return {
    type: `mesh.notification.${message.kind}`,
    timestamp: isoTime(message.at),
    data: {
      effectKey,
      /** The same for everything said about one incident. Hashed: it is made of ids that may hold what is secret here. */
      incident: shortHash(threadKey),
      team: value(team),
      tenant: message.tenant,
      rule: value(message.rule),
      ...(message.outcome !== undefined && { outcome: message.outcome }),
      ...(message.late !== undefined && {
        late: { written: isoTime(message.late.writtenAt), sent: isoTime(message.late.sentAt) },
      }),
      subject: value(message.subject),
      ...(message.prognosis !== undefined && { prognosis: value(message.prognosis) }),
      body: text(wholeBody(message)),
      ...(message.error !== undefined && { error: text(message.error) }),
      facts: message.facts.map((fact) => ({ label: value(fact.label), value: value(fact.value) })),
      did: message.did.map(tellDid),
      ...(message.toCome !== undefined && {
        toCome: message.toCome.map(({ action, type, onlyIf }) => ({
          action: value(action),
          type: value(type),
          ...(onlyIf !== undefined && { onlyIf: value(onlyIf) }),
        })),
      }),
      quiet: message.quiet.map((one) => ({
        what: value(wordsOfQuiet(one, message.rule)),
        until: isoTime(one.untilAt),
      })),
      links: message.links.map((link) => ({ text: value(link.text), url: link.url })),
      commands: message.commands.map(({ what, command, note }) => ({
        what: value(what),
        command: value(command),
        ...(note !== undefined && { note: value(note) }),
      })),
      ...(message.payload !== undefined && { payload: text(message.payload) }),
    },
  };
}

function tellDid({ action, type, state, text: said }: NotificationMessage['did'][number]) {
  return {
    action: value(action),
    type: value(type),
    state: value(state),
    ...(said !== undefined && { text: value(said) }),
  };
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

function text(given: string): string {
  return shownText(given, MAX_TEXT_CHARS);
}

function value(given: string): string {
  return shownText(given, MAX_VALUE_CHARS);
}
