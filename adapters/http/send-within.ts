import type { CallLimit } from './call-limit.js';
import { checkedConnector, type Lookup } from './checked-connector.js';
import { describeFailure } from './describe-failure.js';
import { exchange } from './exchange.js';
import { firstHop, nextHop } from './hop.js';
import type { OutboundAnswer, OutboundPolicy, OutboundRequest } from './outbound.js';
import { createSecretRemover, type SecretRemover } from './remove-secrets.js';

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
