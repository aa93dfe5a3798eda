import { sha256 } from '#contract/hash.js';
import { join } from 'node:path';
import nodemailer from 'nodemailer';
import { writeAtomically } from '../files/atomic-write.js';
import { messageOf } from '#contract/text/words.js';
import type { Mailer } from './mail.js';
import { toNodemailer } from './to-nodemailer.js';

/** Without a mail server, mails become files that a mail client opens. A mail has the same file name on every attempt. */
export function createFileMailer(folder: string): Mailer {
  const transport = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return {
    async send(mail) {
      try {
        const { message } = await transport.sendMail(toNodemailer(mail));
        const file = join(folder, `${sha256(mail.messageId).slice(0, 32)}.eml`);
        await writeAtomically(file, message as Buffer, { change: 'mail', mode: 0o644 });
        return {
          delivered: true,
          isFile: true,
          detail: `mails are files in ${folder}, as mesh.yaml names no notify.smtp`,
        };
      } catch (error) {
        return { delivered: false, reason: `Mail could not be written: ${messageOf(error)}`, isFinal: false };
      }
    },
    close: () => transport.close(),
  };
}
