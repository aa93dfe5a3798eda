import type { FastifyRequest } from 'fastify';
import type { Principal } from './access.js';
import type { GatewayPolicy } from './gateway-deps.js';
import type { GatewayProblem } from './gateway-problem.js';
import type { Route } from './route.js';

/** What is known of a request while it is on its way; filled in step by step. */
export interface Visit {
  /** By the clock that only goes forward. */
  cameAt: number;
  /** Whether it is counted and logged. */
  isNoted: boolean;
  /** What `mesh.yaml` said when it came. */
  policy?: GatewayPolicy;
  principal?: Principal;
  /** How many events it holds. */
  events?: number;
  /** Why it was refused. */
  refusal?: GatewayProblem;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent for what is not of the table of routes: the files of the page at /docs. */
    entry?: Route;
  }
  interface FastifyRequest {
    visit: Visit | null;
  }
}

export function visitOf(request: FastifyRequest): Visit {
  return (request.visit ??= { cameAt: performance.now(), isNoted: false });
}

export function entryOf(request: FastifyRequest): Route | undefined {
  return request.is404 ? undefined : request.routeOptions.config.entry;
}
