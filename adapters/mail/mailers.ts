import { isSmtpUrl } from '#contract/text/smtp-url.js';
import { createFileMailer } from './file-mailer.js';
import type { Mailer } from './mail.js';
import { createSmtpMailer } from './smtp-mailer.js';

/** The ways out for mails: the configuration may name another server at any time. */
export interface Mailers {
  /** `server`: its address, which may hold a password. None: mails become files. */
  to(server: string | undefined): Mailer;
  close(): void;
}

/** One for each address that the configuration has had. They connect when the first mail is sent. */
export function createMailers(folder: string): Mailers {
  const known = new Map<string | undefined, Mailer>();
  return {
    to(server) {
      const mailer = known.get(server) ?? make(server, folder);
      known.set(server, mailer);
      return mailer;
    },
    close() {
      for (const mailer of known.values()) mailer.close();
    },
  };
}

function make(server: string | undefined, folder: string): Mailer {
  if (server === undefined) return createFileMailer(folder);
  // What is wrong with it is not shown: it may hold a password.
  if (!isSmtpUrl(server)) throw new Error('notify.smtp: expected an address such as smtp://mail.example.com:587');
  return createSmtpMailer(server);
}
