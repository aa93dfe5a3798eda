import { watchId } from '#contract/ids.js';
import { within } from '#adapters/temporal/within.js';
import { didYouMean } from '#contract/text/nearest.js';
import { strict } from '#contract/text/schema-words.js';
import { short } from '../page-query.js';
import { readEmptyBody, readInput } from '../read-request.js';
import { knownRules } from '../../known-rules.js';
import { MeshError } from '../../errors.js';
import { GatewayProblem } from '../gateway-problem.js';
import { route, type RouteWorld } from '../route.js';
import { NoBody, PauseBody, RuleRef, WatchRef, WatchStatus } from '../schemas/index.js';

export const getStatus = route({
  id: 'getStatus',
  method: 'GET',
  path: '/v1/status',
  role: 'read',
  tag: 'tenant',
  summary: 'Counters, armed windows, rules in use, pause',
  answers: { 200: { what: 'The status of the tenant.', schema: WatchStatus } },
  problems: ['not-found', 'no-worker', 'not-taken', 'unavailable'],
  async handle({ principal }, { mesh }) {
    const { configTrouble, ...status } = await mesh.status(principal.tenant);
    if (!configTrouble) return { status: 200, body: status };
    // The file is everybody's: what is wrong in it may be about another tenant.
    const { hasGoodVersion, sinceAt, seenAt } = configTrouble;
    return { status: 200, body: { ...status, configTrouble: { hasGoodVersion, sinceAt, seenAt } } };
  },
});

export const rearmRule = route({
  id: 'rearmRule',
  method: 'POST',
  path: '/v1/rules/:rule/rearm',
  role: 'operate',
  tag: 'tenant',
  summary: 'End the cooldown and dedup windows of a rule now',
  params: strict({ rule: short(600).describe('Rule id.') }),
  bodies: { 'application/json': NoBody },
  isBodyOptional: true,
  answers: { 202: { what: 'Told to the watch.', schema: RuleRef } },
  problems: ['invalid-request', 'not-found', 'not-taken', 'unavailable'],
  async handle({ params: { rule }, principal: { tenant }, body }, { mesh }) {
    readEmptyBody(body);
    requireKnown(rule, await known(mesh, tenant));
    await mesh.rearm(tenant, rule);
    return { status: 202, body: { watch: watchId(tenant), rule } };
  },
});

/** What is asked before must not hold up a re-arm, which needs no worker. */
const KNOWN_WITHIN_MS = 1_500;

/** The rules of a tenant; none when nobody tells soon, as while no worker runs. */
async function known(mesh: RouteWorld['mesh'], tenant: string): Promise<string[] | undefined> {
  let rules: string[] | undefined;
  let missing: MeshError | undefined;
  const asked = mesh.status(tenant).then(
    (status) => (rules = status.ruleset?.ruleIds && [...status.ruleset.ruleIds, ...knownRules(status, [])]),
    (error: unknown) => {
      if (error instanceof MeshError && error.code === 'not-found') missing = error;
    },
  );
  await within(KNOWN_WITHIN_MS, asked);
  if (missing) throw missing;
  return rules;
}

function requireKnown(rule: string, rules: readonly string[] | undefined): void {
  if (!rules || rules.includes(rule)) return;
  const hint = didYouMean(rule, rules, `the tenant has: ${rules.join(', ') || 'none'}`);
  throw new GatewayProblem('not-found', `there is no rule ${JSON.stringify(rule)} (${hint})`);
}

export const pauseTenant = route({
  id: 'pauseTenant',
  method: 'POST',
  path: '/v1/pause',
  role: 'operate',
  tag: 'tenant',
  summary: 'Kill switch: skip every event as `paused` until it is resumed',
  bodies: { 'application/json': PauseBody },
  isBodyOptional: true,
  answers: { 202: { what: 'Told to the watch.', schema: WatchRef } },
  problems: ['invalid-request', 'not-taken', 'unavailable'],
  async handle({ body = {}, principal: { tenant }, policy }, { mesh }) {
    const { reason } = readInput(PauseBody, body);
    await mesh.pause(tenant, reason === undefined ? undefined : policy.redactor.text(reason));
    return { status: 202, body: { watch: watchId(tenant) } };
  },
});

export const resumeTenant = route({
  id: 'resumeTenant',
  method: 'POST',
  path: '/v1/resume',
  role: 'operate',
  tag: 'tenant',
  summary: 'End the pause. What was skipped stays skipped',
  bodies: { 'application/json': NoBody },
  isBodyOptional: true,
  answers: { 202: { what: 'Told to the watch.', schema: WatchRef } },
  problems: ['invalid-request', 'not-found', 'not-taken', 'unavailable'],
  async handle({ body, principal: { tenant } }, { mesh }) {
    readEmptyBody(body);
    await mesh.resume(tenant);
    return { status: 202, body: { watch: watchId(tenant) } };
  },
});
