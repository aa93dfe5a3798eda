import type { IncomingHttpHeaders } from 'node:http';
import { type Access, ANYONE, NOBODY, type Principal } from './access.js';
import { requireKnownHost } from './check-host.js';
import type { GatewayPolicy } from './gateway-deps.js';
import { GatewayProblem } from './gateway-problem.js';
import type { Route } from './route.js';

/** Whether a route may be called under the present configuration at all. */
export function requireUsable(route: Route | undefined, policy: GatewayPolicy, isLoopback: boolean): void {
  if (route && OPEN_TO_PROBES.has(route.path)) return;
  const reason = policy.unusable ?? (policy.access.isOpen && !isLoopback ? WITHOUT_TOKENS : undefined);
  if (reason !== undefined) throw new GatewayProblem('config-unavailable', reason, { retryAfterSeconds: 5 });
}

/** Probes of load balancers call by address, and learn nothing that matters. */
export const OPEN_TO_PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

const WITHOUT_TOKENS = 'without tokens in `mesh.yaml` only this machine is served, and the gateway listens beyond it';

export function requireHost(route: Route | undefined, headers: IncomingHttpHeaders, policy: GatewayPolicy): void {
  if (route && OPEN_TO_PROBES.has(route.path)) return;
  requireKnownHost(headers.host, policy);
}

/** Who calls; refuses whoever may not call this route. */
export function requirePrincipal(route: Route | undefined, headers: IncomingHttpHeaders, access: Access): Principal {
  if (route === undefined || route.role === 'none') return NOBODY;
  if (access.isOpen) return ANYONE;
  const principal = access.find(bearerToken(headers.authorization));
  if (!principal) {
    const hint =
      headers.authorization === undefined ? 'show a token as `Authorization: Bearer …`' : 'this token is not known';
    throw new GatewayProblem('unauthorized', hint, {
      headers: { 'www-authenticate': 'Bearer realm="remediation-mesh"' },
    });
  }
  if (!principal.roles.includes(route.role)) {
    throw new GatewayProblem('forbidden', `this needs a token with the role ${route.role}`);
  }
  return principal;
}

function bearerToken(authorization: string | undefined): string {
  return /^bearer +([\w.~+/=-]{1,500})$/i.exec(authorization ?? '')?.[1] ?? '';
}
