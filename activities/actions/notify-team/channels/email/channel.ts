import type { ChannelConfig } from '#config/sections/teams.js';
import type { Channel, Parcel } from '../../channel.js';
import { joinLines } from '#contract/text/plain-text.js';
import { shortHash } from '#contract/hash.js';
import type { Mail } from '#adapters/mail/mail.js';
import { renderHtml } from './render-html.js';
import { renderText } from '../../message/plain-text.js';

type EmailConfig = Extract<ChannelConfig, { type: 'email' }>;

/** A mail to each member. */
export const email: Channel<EmailConfig> = {
  audience: 'member',
  lacks: ({ email }) => (email === undefined ? 'an email address' : undefined),
  prepare(parcel) {
    const mail = renderMail(parcel);
    const { smtp } = parcel.config.notify;
    return {
      destination: `${mail.to.name} <${mail.to.address}>`,
      receiver: `mail to ${mail.to.address}`,
      preview: [
        { part: 'subject', text: mail.subject },
        { part: 'text', text: mail.text },
        { part: 'html', text: mail.html },
      ],
      send: async ({ mailers, secret, signal }) =>
        mailers.to(smtp === undefined ? undefined : await secret(smtp)).send(mail, signal),
    };
  },
};

const MAX_SUBJECT_CHARS = 120;
const MAX_HEADER_CHARS = 200;

/** The mail to one member. Pure: the same parcel is the same mail. */
export function renderMail({ member, team, request, config }: Parcel<ChannelConfig>): Mail {
  const { message, effectKey, threadKey } = request;
  const { fromName, fromAddress } = config.notify;
  // An empty address is refused by the server: never is one guessed.
  const to = { name: member?.name ?? '', address: member?.email ?? '' };
  const subject = joinLines(message.subject, MAX_SUBJECT_CHARS);
  const why = `You get this as ${to.name}, a member of team ${team} (notify_team, channel ${request.channel}).`;
  return {
    from: { name: fromName, address: fromAddress },
    to,
    subject,
    text: renderText(message, why),
    html: renderHtml({ ...message, subject }, why),
    ...messageIdsOf(effectKey, threadKey, fromAddress),
    headers: {
      'Auto-Submitted': 'auto-generated',
      // What Exchange looks at, so that no absence note answers.
      'X-Auto-Response-Suppress': 'All',
      'List-Id': listIdOf(team, fromAddress),
      'X-Mesh-Effect-Key': joinLines(effectKey, MAX_HEADER_CHARS),
      'X-Mesh-Kind': message.kind,
      'X-Mesh-Tenant': message.tenant,
      'X-Mesh-Rule': joinLines(message.rule, MAX_HEADER_CHARS),
    },
  };
}

/** By which mail programs tell mails and threads apart. Hashes: keys are longer than a header line may be. */
function messageIdsOf(effectKey: string, threadKey: string, fromAddress: string) {
  const domain = domainOf(fromAddress);
  return { messageId: `<${shortHash(effectKey)}@${domain}>`, thread: `<${shortHash(threadKey)}.thread@${domain}>` };
}

/** By which people sort what a team gets into a folder. */
function listIdOf(team: string, fromAddress: string): string {
  const plain = team
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  // Two teams must not become one list because their names differ only in what an id cannot hold.
  const label = plain === team ? plain : [plain, shortHash(team).slice(0, 8)].filter((part) => part !== '').join('-');
  return `<${label}.teams.mesh.${domainOf(fromAddress)}>`;
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}
