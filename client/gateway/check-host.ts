import { GatewayProblem } from './gateway-problem.js';
import type { GatewayPolicy } from './gateway-deps.js';

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
export function hostNameOf(host: string | undefined): string {
  const [, name = ''] = /^(\[[\da-f:.]+\]|[^:/\s]+)(?::\d{1,5})?$/i.exec(host ?? '') ?? [];
  return name.toLowerCase().replace(/\.$/, '');
}
