export interface OutboundRequest {
  url: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  /** The body is sent as it is. */
  body?: string;
  /** The limit for name, connection, redirects and the whole answer together. Default: 10,000. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Texts that must not stand in any error or answer shown (tokens, secret addresses). */
  secrets?: readonly string[];
  /** PEM certificates to trust in addition, for this call. */
  ca?: string;
}

/**
 * What came back. Every text in it is without the secrets of the request. `mayHaveArrived`: the connection was there, and ended
 * before a whole answer, so nobody knows what the other side makes of the request.
 */
export type OutboundAnswer =
  | { kind: 'answered'; status: number; headers: Record<string, string>; text: string }
  | { kind: 'cancelled'; mayHaveArrived?: true }
  /** `isFinal`: trying again cannot help (refused address or redirect, wrong TLS certificate, too large an answer). */
  | { kind: 'failed'; reason: string; isFinal: boolean; mayHaveArrived?: true; cause?: unknown };

export interface OutboundPolicy {
  /** Hosts (names or literal addresses, as written in URLs, without port) that may be in private ranges. */
  privateHosts: readonly string[];
  /** How many redirects are followed; default 0. */
  maxRedirects?: number;
}

export interface Outbound {
  /** One attempt; never rejects. */
  send(request: OutboundRequest, policy: OutboundPolicy): Promise<OutboundAnswer>;
  /** Ends what is under way, which then has failed, not finally. */
  close(): Promise<void>;
}
