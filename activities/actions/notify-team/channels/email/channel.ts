import type { ChannelConfig } from '#config/sections/teams.js';
import type { Channel } from '../../channel.js';
import { renderMail } from './render.js';

type EmailConfig = Extract<ChannelConfig, { type: 'email' }>;

/** A mail to each member. */
export const email: Channel<EmailConfig> = {
  audience: 'member',
  lacks: ({ email }) => (email === undefined ? 'an email address' : undefined),
  prepare(parcel) {
    const mail = renderMail(parcel);
    return {
      destination: `${mail.to.name} <${mail.to.address}>`,
      receiver: `mail to ${mail.to.address}`,
      preview: [
        { part: 'subject', text: mail.subject },
        { part: 'text', text: mail.text },
        { part: 'html', text: mail.html },
      ],
      send: ({ mailer, signal }) => mailer.send(mail, signal),
    };
  },
};
