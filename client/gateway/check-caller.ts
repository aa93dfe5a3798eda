import type { GatewayPolicy } from './gateway-deps.js';
import { GatewayProblem } from './gateway-problem.js';

/**
 * A web page can point its own name at this machine and then call it as its own server ("DNS rebinding"). What gives it
 * away is the name in the `Host` header.
 */
export function requireKnownHost(host: string | undefined, policy: GatewayPolicy): void {
  const name = hostNameOf(host);
  if (policy.allowedHosts.has(name)) return;
  if (policy.access.isOpen ? isLoopbackName(name) : policy.allowedHosts.size === 0) return;
  throw new GatewayProblem('host-refused');
}

/** Names and addresses that cannot lead anywhere but to this machine. */
export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** Without port, in lower case. Empty for what is no host. */
function hostNameOf(host: string | undefined): string {
  const [, name = ''] = /^(\[[\da-f:.]+\]|[^:/\s]+)(?::\d{1,5})?$/i.exec(host ?? '') ?? [];
  return name.toLowerCase().replace(/\.$/, '');
}

export interface OriginHeaders {
  origin?: string | undefined;
  host?: string | undefined;
}

/**
 * Browsers name the page that calls. Pages of the gateway itself may, and those of allowed origins; any other is refused.
 * Returns the headers that let an allowed page read the answer.
 */
export function requireKnownOrigin({ origin, host }: OriginHeaders, policy: GatewayPolicy): Record<string, string> {
  if (origin === undefined) return {};
  if (policy.allowedOrigins.has(origin)) {
    return {
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'X-Request-Id, Retry-After',
      vary: 'Origin',
    };
  }
  // The host was checked before, so this is the page at /docs.
  if (host !== undefined && (origin === `http://${host}` || origin === `https://${host}`)) return {};
  throw new GatewayProblem('origin-refused');
}

/** What the browser asks before it lets a page of an allowed origin send what it wants to send. */
export function preflightHeaders(methods: readonly string[], wanted: string | undefined): Record<string, string> {
  const headers = (wanted ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => TAKEN_HEADERS.includes(name) || /^ce-[a-z\d]{1,20}$/.test(name));
  return {
    'access-control-allow-methods': methods.join(', '),
    ...(headers.length > 0 && { 'access-control-allow-headers': headers.join(', ') }),
    'access-control-max-age': '600',
  };
}

const TAKEN_HEADERS = ['authorization', 'content-type', 'idempotency-key', 'x-request-id'];
