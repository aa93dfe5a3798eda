import nodemailer from 'nodemailer';
import type { Readable } from 'node:stream';
import type { DeliveryAnswer } from '#contract/notification.js';
import type { Mail, Mailer } from './mail.js';
import { toNodemailer } from './to-nodemailer.js';
import { messageOf } from '#contract/text/words.js';
import { joinLines } from '#contract/text/plain-text.js';

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

/**
 * Whether the connection must turn to TLS before anything of value goes over it. A login is of value: an attacker in
 * between could otherwise take the offer of TLS out of what the server says, and read the password. On this machine nobody
 * sits in between.
 * `?starttls=optional` is for networks that are trusted, `?starttls=required` for mails without a login.
 */
export function needsTls({ protocol, hostname, username, searchParams }: URL): boolean {
  if (protocol === 'smtps:') return false;
  const said = searchParams.get('starttls');
  if (said === 'required' || said === 'optional') return said === 'required';
  return username !== '' && !LOOPBACK.test(hostname);
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

const MAX_REASON_CHARS = 300;
/** Shorter secrets would tear ordinary words apart. */
const MIN_SECRET_CHARS = 4;

/**
 * What a mail server, or the way there, had against a mail, without the login. A server that had the whole mail and then said
 * nothing may have taken it.
 */
function answerOfSmtpError(
  error: unknown,
  { user, pass }: { user: string; pass: string },
  isHandedOver: boolean,
): DeliveryAnswer {
  const { responseCode, code } = error as { responseCode?: number; code?: string };
  const said = secretsOf(user, pass).reduce((text, secret) => text.replaceAll(secret, '***'), messageOf(error));
  const reason = (what: string) => joinLines(`${what}: ${said}`, MAX_REASON_CHARS);
  if (isHandedOver && responseCode === undefined) {
    const what = 'Mail was handed over, and the server did not say whether it took it';
    return { delivered: false, reason: reason(what), isFinal: false, mayHaveArrived: true };
  }
  // Without TLS the mail is kept back. It is sent when the server is mended, and nobody has to send it by hand.
  if (code === 'ETLS') return { delivered: false, reason: reason('Mail was not sent without TLS'), isFinal: false };
  // A server that answers 4xx to a login means later; without an answer, wrong credentials stay wrong.
  const isFinal = responseCode !== undefined ? responseCode >= 500 : code === 'EAUTH' || code === 'ENOAUTH';
  return { delivered: false, reason: reason('Mail was not taken'), isFinal };
}

/** A password, also as it travels: some servers repeat the line they did not like. */
function secretsOf(user: string, pass: string): string[] {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return [`\0${user}\0${pass}`, pass]
    .flatMap((secret) => [base64(secret), encodeURIComponent(secret), secret])
    .filter((secret) => pass !== '' && secret.length >= MIN_SECRET_CHARS);
}
