import type { DeliveryAnswer } from '#contract/notification.js';

export interface MailAddress {
  name: string;
  address: string;
}

/** A mail as it is sent. Only `to` names recipients: no other field is ever read for an address. */
export interface Mail {
  from: MailAddress;
  to: MailAddress;
  subject: string;
  text: string;
  html: string;
  /** The id is the same on every attempt, so that a second copy after a crash is recognised. */
  messageId: string;
  /** The root of the thread. No mail with this id was sent, but mail clients group by it. */
  thread: string;
  headers: Record<string, string>;
}

/** The port through which mails leave. */
export interface Mailer {
  /** One attempt; never rejects. */
  send(mail: Mail, signal: AbortSignal): Promise<DeliveryAnswer>;
  close(): void;
}
