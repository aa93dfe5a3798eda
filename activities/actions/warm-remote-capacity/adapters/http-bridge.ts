import type { z } from 'zod';
import type { Lease } from '../../../../contract/lease.js';
import { type CapacityTarget, type EnsureRequest, type Environment, TargetFailure } from '../target.js';
import {
  CapacityAnswer,
  EnvironmentAnswer,
  EnvironmentsAnswer,
  ReleaseAnswer,
  StatusAnswer,
} from './bridge-answers.js';
import { ask, type Line, send } from './send.js';

const BRIDGE = 'the bridge';

/** Whoever is there answers this at once. */
const STATUS_TIMEOUT_MS = 5_000;

/** A bridge as config/examples/capacity-bridge.openapi.yaml describes it. */
export function makeHttpBridge(line: Line): CapacityTarget {
  return {
    async status(signal) {
      const call = { method: 'GET', path: '/v1/status', answer: StatusAnswer, timeoutMs: STATUS_TIMEOUT_MS } as const;
      const { active, policy, preconditions } = await ask(BRIDGE, line, call, signal);
      return { isActive: active, allowsRemoteSessions: policy.allowRemoteSessions, preconditions };
    },
    async list(signal) {
      const call = { method: 'GET', path: '/v1/environments', answer: EnvironmentsAnswer } as const;
      return (await ask(BRIDGE, line, call, signal)).environments.map(toEnvironment);
    },
    async createDefault(effectKey, signal) {
      const call = {
        method: 'POST',
        path: '/v1/environments',
        headers: { 'idempotency-key': `${effectKey}/environment` },
        body: { default: true },
        answer: EnvironmentAnswer,
      } as const;
      return toEnvironment(await ask(BRIDGE, line, call, signal));
    },
    ensure: (request, signal) => ensure(line, request, signal),
    verify: (environment, signal) => verify(line, environment, signal),
    release: (lease, signal) => release(line, lease, signal),
  };
}

function toEnvironment({ id, ready, ...said }: z.output<typeof EnvironmentAnswer>): Environment {
  return { id, ready, isDefault: said.default, isEligible: said.eligible };
}

async function ensure(
  line: Line,
  { environment, ensure: wanted, untilAt, effectKey, beforeTaking }: EnsureRequest,
  signal: AbortSignal,
): Promise<{ environment: string }> {
  await beforeTaking({});
  const call = {
    method: 'POST',
    path: '/v1/capacity',
    headers: { 'idempotency-key': effectKey },
    body: { environment, ensure: wanted, until: iso(untilAt) },
    answer: CapacityAnswer,
  } as const;
  const answered = await send(BRIDGE, line, call, signal);
  if (answered.ok) return answered.answer;
  const { message, retryAfterMs } = answered.failure;
  // The same request, sent by an attempt that did not wait for its end, is still being worked on.
  if (answered.status === 409) throw new TargetFailure(message, { isFinal: false, retryAfterMs });
  throw answered.failure;
}

async function verify(line: Line, environment: string, signal: AbortSignal): Promise<Environment> {
  const call = {
    method: 'GET',
    path: `/v1/environments/${encodeURIComponent(environment)}`,
    answer: EnvironmentAnswer,
  } as const;
  const found = toEnvironment(await ask(BRIDGE, line, call, signal));
  if (found.id === environment) return found;
  const message = `the bridge answered for environment ${found.id}, not for ${environment}`;
  throw new TargetFailure(message, { isFinal: true });
}

/** Names the end of the lease, so that what another remediation has asked for meanwhile is not meant. */
async function release(line: Line, { environment, untilAt, effectKey }: Lease, signal: AbortSignal) {
  const call = {
    method: 'POST',
    path: '/v1/release',
    headers: { 'idempotency-key': `${effectKey}/release/${untilAt}` },
    body: { environment, until: iso(untilAt) },
    answer: ReleaseAnswer,
  } as const;
  const answered = await send(BRIDGE, line, call, signal);
  if (!answered.ok && answered.status === 404) return { isLeft: true, detail: `Environment ${environment} is gone` };
  if (!answered.ok) throw answered.failure;
  return { isLeft: false, detail: `Remote capacity of environment ${environment} was given back` };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
