import type { SendMailOptions } from 'nodemailer';
import type { Mail } from './mail.js';

/**
 * Addresses go in as objects and the envelope is explicit: given as text they would be parsed, and a name with a comma or a
 * colon in it could add a recipient.
 */
export function toNodemailer({ from, to, subject, text, html, messageId, thread, headers }: Mail): SendMailOptions {
  return {
    from,
    to,
    envelope: { from: from.address, to: [to.address] },
    subject,
    text,
    html,
    // A person can then read the source, and lines stay short even when an event has long ones.
    textEncoding: 'quoted-printable',
    messageId,
    inReplyTo: thread,
    references: thread,
    headers,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
