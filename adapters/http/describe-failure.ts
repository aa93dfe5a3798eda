import { messageOf } from '#contract/text/words.js';
import { Refused } from './refused.js';

export interface Failure {
  reason: string;
  isFinal: boolean;
}

/** What went wrong in words, and whether trying again can help. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof Refused) return { reason: error.message, isFinal: true };
  // Several addresses were tried. The error of the first one is told.
  if (error instanceof AggregateError && error.errors.length > 0) return describeFailure(error.errors[0]);
  const { code = '', reason } = error as { code?: unknown; reason?: unknown };
  const message = messageOf(error);
  // The parser of HTTP has no codes, only this for an answer that ends within a chunk.
  if (message.includes('Invalid EOF state')) return brokenOff();
  if (typeof code !== 'string') return { reason: message, isFinal: false };
  const said = typeof reason === 'string' ? reason : message;
  if (CERTIFICATE.test(code)) return { reason: `the TLS certificate is not trusted: ${said} (${code})`, isFinal: true };
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return { reason: `TLS failed: ${said}`, isFinal: false };
  return BY_CODE[code]?.(message) ?? { reason: message === '' ? code : message, isFinal: false };
}

/** OpenSSL's names for what is wrong with a certificate. */
const CERTIFICATE =
  /^(ERR_TLS_CERT_|CERT_|CRL_|DEPTH_ZERO_|ERROR_IN_|HOSTNAME_|INVALID_|PATH_LENGTH_|SELF_SIGNED_|UNABLE_TO_)/;

const BY_CODE: Record<string, (message: string) => Failure> = {
  UND_ERR_RES_EXCEEDED_MAX_SIZE: () => ({ reason: 'the answer is larger than 1 MiB', isFinal: true }),
  UND_ERR_HEADERS_OVERFLOW: () => ({ reason: 'the headers of the answer are too large', isFinal: true }),
  UND_ERR_INVALID_ARG: unsendable,
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: unsendable,
  UND_ERR_SOCKET: brokenOff,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: brokenOff,
};

function unsendable(message: string): Failure {
  return { reason: `the request cannot be sent: ${message}`, isFinal: true };
}

function brokenOff(): Failure {
  return { reason: 'the other side closed the connection without a whole answer', isFinal: false };
}
