import { messageOf } from '#contract/text/words.js';
import type { DeliveryAnswer } from '#contract/notification.js';
import { joinLines } from '#contract/text/plain-text.js';

const MAX_REASON_CHARS = 300;
/** Shorter secrets would tear ordinary words apart. */
const MIN_SECRET_CHARS = 4;

/**
 * What a mail server, or the way there, had against a mail, without the login. A server that had the whole mail and then said
 * nothing may have taken it.
 */
export function answerOfSmtpError(
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
