import { messageOf } from '../../../../../../contract/message-of.js';
import type { DeliveryAnswer } from '../../../channel.js';
import { oneLine } from '../../../message/one-line.js';

const MAX_REASON_CHARS = 300;
/** Less would tear ordinary words apart. */
const MIN_SECRET_CHARS = 4;

/** What a mail server, or the way there, had against a mail, without the login. */
export function answerOfSmtpError(error: unknown, { user, pass }: { user: string; pass: string }): DeliveryAnswer {
  const { responseCode, code } = error as { responseCode?: number; code?: string };
  // A server that answers 4xx to a login means later; without an answer, wrong credentials stay wrong.
  const isFinal = responseCode !== undefined ? responseCode >= 500 : code === 'EAUTH' || code === 'ENOAUTH';
  const said = secretsOf(user, pass).reduce((text, secret) => text.replaceAll(secret, '***'), messageOf(error));
  return { delivered: false, reason: oneLine(`Mail was not taken: ${said}`, MAX_REASON_CHARS), isFinal };
}

/** A password, also as it travels: some servers repeat the line they did not like. */
function secretsOf(user: string, pass: string): string[] {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return [`\0${user}\0${pass}`, pass]
    .flatMap((secret) => [base64(secret), encodeURIComponent(secret), secret])
    .filter((secret) => pass !== '' && secret.length >= MIN_SECRET_CHARS);
}
