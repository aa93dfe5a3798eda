import type { FastifyRequest } from 'fastify';
import type { Redactor } from '#contract/text/redact/redact.js';
import type { GatewayProblem } from './gateway-problem.js';
import type { Admitted, Route } from './route.js';

/** What is known of a request from its first byte to the line in the log. */
export interface Visit {
  /** By the clock that only goes forward. */
  readonly cameAt: number;
  /** Whether it is counted and logged. */
  isNoted: boolean;
  /** Knows what `mesh.yaml` calls a secret, once that was read. */
  redactor?: Redactor;
  /** Once it has passed the gate. */
  admitted?: Admitted;
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

const SAFE_ID = /^[\w.:-]{1,100}$/;

/** The caller's own id when it can stand in a log and in an event; else a new one. */
export function requestIdOf(given: string | string[] | undefined, redactor: Redactor, makeId: () => string): string {
  if (typeof given !== 'string' || !SAFE_ID.test(given)) return makeId();
  // A caller who puts a token there by mistake must not find it in a history.
  return redactor.text(given) === given ? given : makeId();
}
