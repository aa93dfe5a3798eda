import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import nodemailer from 'nodemailer';
import type { Delivery, Recipient } from '../../contract/activities.js';

export type Mail = Delivery & { from: { name: string; address: string } };
export type MailAnswer = { sent: true; how: string } | { sent: false; reason: string; isFinal: boolean };

export interface Mailer {
  send(mail: Mail): Promise<MailAnswer>;
  close(): void;
}

const MAX_SUBJECT_CHARS = 120;
const MESSAGE_ID_HOST = 'remediation-mesh';

/** Sends over SMTP. Retries, pools of time and queues are Temporal's: here one call is one attempt with short limits. */
export function createSmtpMailer(smtpUrl: string): Mailer {
  const { hostname, port, protocol, username, password, searchParams } = new URL(smtpUrl);
  const transport = nodemailer.createTransport({
    // An IPv6 address stands in brackets in a URL, and only there.
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    ...(port !== '' && { port: Number(port) }),
    secure: protocol === 'smtps:',
    ...(username !== '' && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    tls: { rejectUnauthorized: searchParams.get('insecure') !== 'true' },
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(mail) {
      try {
        await transport.sendMail(messageOf(mail));
        return { sent: true, how: `mailed through ${hostname}` };
      } catch (error) {
        return refusalOf(error, password);
      }
    },
    close: () => transport.close(),
  };
}

/** Without a mail server, mails become files that a mail client opens. The same mail always has the same name. */
export function createFileMailer(folder: string): Mailer {
  const transport = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return {
    async send(mail) {
      const { message } = await transport.sendMail(messageOf(mail));
      const file = join(folder, `${digest(mail.effectKey)}.eml`);
      await mkdir(folder, { recursive: true });
      await writeFile(`${file}.part`, message as Buffer);
      await rename(`${file}.part`, file);
      return { sent: true, how: `no MESH_SMTP_URL configured, mails written as .eml files to ${folder}` };
    },
    close: () => transport.close(),
  };
}

/**
 * Addresses go in as objects and the envelope is explicit: given as text they would be parsed, and a name with a comma or a
 * colon in it could add a recipient.
 */
function messageOf({ from, recipient, message, effectKey, threadKey }: Mail) {
  const thread = `<${digest(threadKey)}.thread@${MESSAGE_ID_HOST}>`;
  return {
    from: addressOf(from),
    to: addressOf(recipient),
    envelope: { from: from.address, to: [recipient.address] },
    subject: oneLine(message.subject),
    text: message.text,
    // The same on every attempt, so that a second copy after a crash is recognised as one.
    messageId: `<${digest(effectKey)}@${MESSAGE_ID_HOST}>`,
    // The root of the thread was never sent; mail clients group by it all the same.
    inReplyTo: thread,
    references: thread,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Mesh-Effect-Key': effectKey },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function addressOf({ name, address }: Recipient): { name: string; address: string } {
  return { name, address };
}

function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length <= MAX_SUBJECT_CHARS ? line : `${line.slice(0, MAX_SUBJECT_CHARS - 1)}…`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

function refusalOf(error: unknown, password: string): MailAnswer {
  const { message, responseCode, code } = error as Error & { responseCode?: number; code?: string };
  // A server that answers 4xx to a login means later; without an answer, wrong credentials stay wrong.
  const isFinal = responseCode !== undefined ? responseCode >= 500 : code === 'EAUTH' || code === 'ENOAUTH';
  const secret = decodeURIComponent(password);
  const reason = secret === '' ? message : message.replaceAll(secret, '***');
  return { sent: false, reason: `Mail was not taken: ${reason}`.slice(0, 500), isFinal };
}
