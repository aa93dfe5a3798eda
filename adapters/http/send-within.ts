import { type buildConnector, Client, type Dispatcher } from 'undici';
import type { CallLimit } from './call-limit.js';
import { checkedConnector, type Lookup } from './checked-connector.js';
import { firstHop, type Hop, nextHop } from './hop.js';
import type { OutboundAnswer, OutboundPolicy, OutboundRequest } from './outbound.js';
import { createSecretRemover, type SecretRemover } from './remove-secrets.js';
import { messageOf } from '#contract/text/words.js';
import { Refused } from './refused.js';

/** Sends a request, and follows redirects where that is allowed. Each hop is a new connection and is checked again. */
export async function sendWithin(
  limit: CallLimit,
  request: OutboundRequest,
  policy: OutboundPolicy,
  lookup: Lookup,
): Promise<OutboundAnswer> {
  const remover = createSecretRemover(request);
  const { signal } = limit;
  let redirectedTo: string | undefined;
  const sent = { isUnanswered: false };
  const onConnect = () => void (sent.isUnanswered = true);
  try {
    let hop = firstHop(request);
    for (let redirectsLeft = policy.maxRedirects ?? 0; ; redirectsLeft -= 1) {
      signal.throwIfAborted();
      const connect = checkedConnector({ privateHosts: policy.privateHosts, lookup, ca: request.ca, signal });
      const { status, headers, text, location } = await exchange(hop, { connect, signal, onConnect });
      sent.isUnanswered = false;
      if (location === undefined) return { kind: 'answered', status, ...withoutSecrets(headers, text, remover) };
      hop = nextHop(hop, { status, location, redirectsLeft, remover });
      redirectedTo = hop.url.origin;
    }
  } catch (error) {
    const end = endOf(error, limit, redirectedTo, remover);
    return sent.isUnanswered ? { ...end, mayHaveArrived: true } : end;
  }
}

function withoutSecrets(headers: Record<string, string>, text: string, remover: SecretRemover) {
  const clean = Object.entries(headers).map(([name, value]) => [name, remover.text(value)] as const);
  return { headers: Object.fromEntries(clean), text: remover.text(text) };
}

function endOf(
  error: unknown,
  limit: CallLimit,
  redirectedTo: string | undefined,
  remover: SecretRemover,
): Exclude<OutboundAnswer, { kind: 'answered' }> {
  const by = limit.endedBy();
  if (by === 'caller') return { kind: 'cancelled' };
  const { reason, isFinal } =
    by === 'time'
      ? { reason: `no answer within ${limit.timeoutMs}ms`, isFinal: false }
      : by === 'closing'
        ? { reason: 'this worker is stopping', isFinal: false }
        : describeFailure(error);
  const where = redirectedTo === undefined ? '' : `after a redirect to ${redirectedTo}: `;
  const cause = by === undefined && remover.isFreeOfSecrets(error) ? { cause: error } : {};
  return { kind: 'failed', reason: remover.line(where + reason), isFinal, ...cause };
}

interface Failure {
  reason: string;
  isFinal: boolean;
}

/** What went wrong in words, and whether trying again can help. */
function describeFailure(error: unknown): Failure {
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

const MAX_ANSWER_BYTES = 1024 * 1024;

interface Exchange {
  connect: buildConnector.connector;
  signal: AbortSignal;
  onConnect(): void;
}

interface Exchanged {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** The answer is a redirect. Its body is not read. */
  location?: string;
}

/**
 * One request and its answer on a connection of its own. The time limit of the call is the only one. `onConnect`: the request
 * goes out now.
 */
async function exchange(
  { url, method, headers, body }: Hop,
  { connect, signal, onConnect }: Exchange,
): Promise<Exchanged> {
  const client = new Client(url.origin, {
    connect,
    maxResponseSize: MAX_ANSWER_BYTES,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  client.once('connect', onConnect);
  try {
    const path = url.pathname + url.search;
    const answer = await client.request({ path, method, headers, body: body ?? null, signal, reset: true });
    const { location, ...read } = readHead(answer);
    if (location === undefined) return { ...read, text: await answer.body.text() };
    // The body ends early when the connection does.
    answer.body.on('error', () => undefined);
    return { ...read, text: '', location };
  } finally {
    await client.destroy();
  }
}

const REDIRECTS = [301, 302, 303, 307, 308];

function readHead({ statusCode, headers }: Dispatcher.ResponseData) {
  const present = Object.entries(headers).filter(([, value]) => value !== undefined);
  const texts = Object.fromEntries(present.map(([name, value]) => [name, [value].flat().join(', ')]));
  const location = REDIRECTS.includes(statusCode) ? texts['location'] : undefined;
  return { status: statusCode, headers: texts, ...(location !== undefined && { location }) };
}
