import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Role } from '#contract/roles.js';
import type { Principal } from './access.js';
import type { GatewayDeps, GatewayLimits, GatewayPolicy } from './gateway-deps.js';
import type { GatewayMetrics } from './gateway-metrics.js';
import type { ProblemCode } from './problem-codes.js';

/** One entry of the table of routes: what the server registers, and what the OpenAPI document says about it. */
export interface Route {
  /** Unique, for generated clients. */
  id: string;
  method: 'GET' | 'POST';
  /** Parameters as `:name`. */
  path: string;
  role: Role | 'none';
  tag: RouteTag;
  summary: string;
  description?: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  headers?: Record<string, string>;
  /** By content type. */
  bodies?: Record<string, z.ZodType>;
  /** Whether a request without a body is one too. */
  isBodyOptional?: boolean;
  /** By status. */
  answers: Record<number, AnswerSpec>;
  /** Beyond those that every route can answer with. */
  problems: readonly ProblemCode[];
  handle(call: Call, world: RouteWorld): Promise<Answer>;
}

export type RouteTag = 'events' | 'remediations' | 'tenant' | 'service';

export interface AnswerSpec {
  what: string;
  /** Default: JSON as in `schema`. */
  type?: string;
  schema?: z.ZodType;
}

/** Probes of load balancers call by address, and learn nothing that matters. */
export const OPEN_TO_PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** What the gate says about a request that it lets in. */
export interface Admitted {
  policy: GatewayPolicy;
  principal: Principal;
  /**
   * Tells how many events the request holds, for the limit of the tenant and for the access log. Refuses none and too many,
   * before anything is done for each of them; those are not taken off the limit.
   */
  countEvents(count: number): void;
}

/** A request that was let in, read and checked. */
export interface Call<Params = unknown, Query = unknown> extends Admitted {
  params: Params;
  query: Query;
  /** What the body says, not checked yet; undefined when there is none. */
  body: unknown;
  /** Media type of the body, without parameters. */
  contentType: string;
  headers: IncomingHttpHeaders;
  requestId: string;
}

export interface RouteWorld extends Omit<GatewayDeps, 'limits'> {
  limits: GatewayLimits;
  metrics: GatewayMetrics;
  routes: readonly Route[];
  /** The OpenAPI document as text: it is the same for everybody, and to make it takes long. */
  openApi: string;
  isStopping(): boolean;
}

export interface Answer {
  status: number;
  body: unknown;
  /** Default: JSON. */
  type?: string;
}

/** Gives the handler of a route the types of its parameters. */
export function route<Params extends z.ZodObject, Query extends z.ZodObject>(
  entry: Omit<Route, 'handle' | 'params' | 'query'> & {
    params?: Params;
    query?: Query;
    handle(call: Call<z.output<Params>, z.output<Query>>, world: RouteWorld): Promise<Answer>;
  },
): Route {
  return entry;
}
