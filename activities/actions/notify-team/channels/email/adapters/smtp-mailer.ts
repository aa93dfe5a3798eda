import nodemailer from 'nodemailer';
import type { Mailer } from '../mail.js';
import { answerOfSmtpError } from './smtp-answer.js';
import { toNodemailer } from './to-nodemailer.js';

/** Enough for a storm of mails, and polite. */
const MAX_CONNECTIONS = 3;
/** Servers close idle connections after minutes; one that is closed by us meets no mail. */
const IDLE_MS = 30_000;

/**
 * Sends over SMTP, over connections that are kept for a while. Retries and queues are Temporal's: here one call is one attempt,
 * and a mail that waits for a free connection when its time is up is never sent behind the back of the next attempt.
 */
export function createSmtpMailer(smtpUrl: string): Mailer {
  const { hostname, port, protocol, username, password, searchParams } = new URL(smtpUrl);
  const login = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  const transport = nodemailer.createTransport({
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    maxRequeues: 0,
    idleTimeout: IDLE_MS,
    // An IPv6 address stands in brackets in a URL, and only there.
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    ...(port !== '' && { port: Number(port) }),
    secure: protocol === 'smtps:',
    ...(username !== '' && { auth: login }),
    tls: { rejectUnauthorized: searchParams.get('insecure') !== 'true' },
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    place: `mail server ${hostname}`,
    async send(mail, signal) {
      try {
        await transport.sendMail({ ...toNodemailer(mail), signal });
        return { delivered: true, detail: `mailed through ${hostname}` };
      } catch (error) {
        return answerOfSmtpError(error, login);
      }
    },
    // Nobody waits any more for what is under way.
    close: () => transport.close({ force: true }),
  };
}
