import type { GatewayPolicy } from './gateway-deps.js';
import { GatewayProblem } from './gateway-problem.js';

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
