import { type CallLimit, limitCall } from './call-limit.js';
import { type Lookup, systemLookup } from './checked-connector.js';
import type { Outbound, OutboundAnswer } from './outbound.js';
import { sendWithin } from './send-within.js';

export type { Lookup } from './checked-connector.js';
export { judgeStatus, type StatusVerdict } from './judge-status.js';
export type { Outbound, OutboundAnswer, OutboundPolicy, OutboundRequest } from './outbound.js';

const DEFAULT_TIMEOUT_MS = 10_000;

export interface OutboundOptions {
  /** How a name becomes addresses. Tests give their own. */
  lookup?: Lookup;
}

/**
 * The one way out over HTTP. Every connection is made for one request and judged by the policy of that request: none is
 * kept, so none can be used under another policy, and no POST meets a connection that the other side has just closed.
 * Proxies named in the environment are not used: behind one, nobody could check which address is connected to.
 */
export function createOutbound({ lookup = systemLookup }: OutboundOptions = {}): Outbound {
  const underWay = new Map<CallLimit, Promise<OutboundAnswer>>();
  let isClosed = false;
  return {
    async send(request, policy) {
      const limit = limitCall(request.timeoutMs ?? DEFAULT_TIMEOUT_MS, request.signal);
      if (isClosed) limit.end('closing');
      const call = sendWithin(limit, request, policy, lookup);
      underWay.set(limit, call);
      try {
        return await call;
      } finally {
        limit.clear();
        underWay.delete(limit);
      }
    },
    async close() {
      isClosed = true;
      for (const limit of underWay.keys()) limit.end('closing');
      await Promise.all(underWay.values());
    },
  };
}
