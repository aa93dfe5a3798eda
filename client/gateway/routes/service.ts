import { z } from 'zod';
import { type MeshHealth } from '../../mesh-health.js';
import { type Answer, route, type RouteWorld } from '../route.js';
import { Alive, Readiness } from '../schemas/index.js';

export const healthz = route({
  id: 'healthz',
  method: 'GET',
  path: '/healthz',
  role: 'none',
  tag: 'service',
  summary: 'Whether the process is up',
  answers: { 200: { what: 'It is.', schema: Alive } },
  problems: [],
  async handle() {
    return { status: 200, body: { status: 'ok', service: 'remediation-mesh' } };
  },
});

export const readyz = route({
  id: 'readyz',
  method: 'GET',
  path: '/readyz',
  role: 'none',
  tag: 'service',
  summary: 'Whether events can be stored and judged: Temporal answers, a worker asks for work, the rules are valid',
  answers: {
    200: { what: 'All of it.', schema: Readiness },
    503: { what: 'Not all; the checks say what.', schema: Readiness },
  },
  problems: [],
  async handle(_call, world) {
    return readiness(world);
  },
});

export const metrics = route({
  id: 'metrics',
  method: 'GET',
  path: '/metrics',
  role: 'read',
  tag: 'service',
  summary: 'Metrics in the text format of Prometheus',
  description: 'Those of the whole process; of the ones by tenant, those of the tenant of the token.',
  answers: { 200: { what: 'The metrics.', type: 'text/plain; version=0.0.4' } },
  problems: [],
  async handle({ principal }, world) {
    const body = await world.metrics.render(principal.tenant);
    return { status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body };
  },
});

export const openApi = route({
  id: 'openApi',
  method: 'GET',
  path: '/openapi.json',
  role: 'none',
  tag: 'service',
  summary: 'This description',
  answers: { 200: { what: 'An OpenAPI 3.1 document.', schema: z.looseObject({ openapi: z.string() }) } },
  problems: [],
  async handle(_call, world) {
    return { status: 200, body: world.openApi };
  },
});

/** The answer says nothing of the inside, since any caller may ask. */
async function readiness({ mesh, areRulesValid, isStopping }: RouteWorld): Promise<Answer> {
  const [health, areValid] = await Promise.all([mesh.health(), areRulesValid()]);
  const checks = [
    check('temporal', health.isReachable, 'Temporal does not answer: see the log of the gateway'),
    check('worker', health.workers > 0, workerHint(health)),
    check('rules', areValid, 'the rules cannot be used as they are: see `mesh check` and the log of the worker'),
  ];
  const ready = checks.every(({ ok }) => ok) && !isStopping();
  return { status: ready ? 200 : 503, body: { ready, checks } };
}

function check(name: string, ok: boolean, hint: string): { name: string; ok: boolean; hint?: string } {
  return ok ? { name, ok } : { name, ok, hint };
}

function workerHint({ isReachable }: MeshHealth): string {
  return isReachable
    ? 'no worker asks for work: start one with `npm start`'
    : 'not known while Temporal does not answer';
}
