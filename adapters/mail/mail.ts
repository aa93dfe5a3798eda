import type { DeliveryAnswer } from '#contract/notification.js';

export interface MailAddress {
  name: string;
  address: string;
}

/** A mail as it is sent. Who gets it is `to` alone: no other field is ever read for an address. */
export interface Mail {
  from: MailAddress;
  to: MailAddress;
  subject: string;
  text: string;
  html: string;
  /** The same on every attempt, so that a second copy after a crash is recognised as one. */
  messageId: string;
  /** The root of the thread. It was never sent; mail clients group by it all the same. */
  thread: string;
  headers: Record<string, string>;
}

/** The port through which mails leave. */
export interface Mailer {
  /** Where they go, for people: `mail server mail.example.com`. */
  place: string;
  /** One attempt; never rejects. */
  send(mail: Mail, signal: AbortSignal): Promise<DeliveryAnswer>;
  close(): void;
}
