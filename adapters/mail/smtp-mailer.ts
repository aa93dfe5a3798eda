import nodemailer from 'nodemailer';
import type { Readable } from 'node:stream';
import type { DeliveryAnswer } from '#contract/notification.js';
import type { Mail, Mailer } from './mail.js';
import { answerOfSmtpError } from './smtp-answer.js';
import { needsTls } from './needs-tls.js';
import { toNodemailer } from './to-nodemailer.js';

/** Servers that count connections allow about so many from one sender. Who sends sees to it that no address has many of them. */
export const MAX_CONNECTIONS = 10;
/** Servers close idle connections after minutes; one that is closed by us meets no mail. */
const IDLE_MS = 30_000;
/** Some servers let everyone wait before they greet, since programs that send spam do not. */
const GREETING_MS = 60_000;
/** To the last byte of the mail, with the wait for a connection. Nothing has been sent by then. */
const HANDOVER_MS = 120_000;
/** RFC 5321 asks for so much patience with a server that has the whole mail and looks into it before it answers. */
const ANSWER_MS = 600_000;

/** A mail on its way, known by the signal it is sent with. */
interface Handover {
  isOver: boolean;
  onOver(): void;
}

/**
 * Sends over SMTP, over connections that are kept for a while. Retries are Temporal's: here one call is one attempt, and a mail
 * that waits for a connection when its time is up is never sent behind the back of the next attempt.
 */
export function createSmtpMailer(smtpUrl: string, { handoverMs = HANDOVER_MS } = {}): Mailer {
  const url = new URL(smtpUrl);
  const { hostname, port, protocol, username, password, searchParams } = url;
  const login = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  const handovers = new WeakMap<AbortSignal, Handover>();
  const transport = nodemailer.createTransport({
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    maxRequeues: 0,
    idleTimeout: IDLE_MS,
    // An IPv6 address stands in brackets in a URL, and only there.
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    ...(port !== '' && { port: Number(port) }),
    secure: protocol === 'smtps:',
    requireTLS: needsTls(url),
    ...(username !== '' && { auth: login }),
    tls: { rejectUnauthorized: searchParams.get('insecure') !== 'true' },
    connectionTimeout: 10_000,
    greetingTimeout: GREETING_MS,
    socketTimeout: ANSWER_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  transport.use('stream', ({ data, message }, done) => {
    const handover = data.signal && handovers.get(data.signal);
    // The connection reads the mail only after the server has said that it may come, so its end is read when all was sent.
    message.processFunc((stream: Readable) => stream.once('end', () => handover?.onOver()));
    done();
  });
  return {
    place: `mail server ${hostname}`,
    send,
    // Nobody waits any more for what is under way.
    close: () => transport.close({ force: true }),
  };

  async function send(mail: Mail, signal: AbortSignal): Promise<DeliveryAnswer> {
    const tooSlow = new AbortController();
    const timer = setTimeout(() => tooSlow.abort(), handoverMs);
    const handover: Handover = {
      isOver: false,
      onOver() {
        handover.isOver = true;
        clearTimeout(timer);
      },
    };
    const ended = AbortSignal.any([signal, tooSlow.signal]);
    handovers.set(ended, handover);
    try {
      await transport.sendMail({ ...toNodemailer(mail), signal: ended });
      return { delivered: true, detail: `mailed through ${hostname}` };
    } catch (error) {
      if (tooSlow.signal.aborted && !signal.aborted) return notHandedOver(handoverMs);
      return answerOfSmtpError(error, login, handover.isOver);
    } finally {
      clearTimeout(timer);
    }
  }
}

function notHandedOver(handoverMs: number): DeliveryAnswer {
  return { delivered: false, reason: `Mail could not be handed over within ${handoverMs}ms`, isFinal: false };
}
