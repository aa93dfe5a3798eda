import type { z } from 'zod';
import type { Lease } from '#contract/lease.js';
import { type CapacityTarget, type Environment, TargetFailure } from '../target.js';
import {
  CapacityAnswer,
  EnvironmentAnswer,
  EnvironmentsAnswer,
  ReleaseAnswer,
  StatusAnswer,
} from './bridge-answers.js';
import { type Answered, ask, type Call, type Line, send } from './send.js';

const BRIDGE = 'the bridge';

/** A bridge that is there answers this at once. */
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
      const call = { path: '/v1/environments', body: { default: true }, answer: EnvironmentAnswer };
      return toEnvironment(granted(await post(line, call, `${effectKey}/environment`, signal)));
    },
    async ensure(request, signal) {
      const untilAt = await request.keepLease();
      return take(line, { ...request, untilAt }, request.effectKey, signal);
    },
    verify: (environment, signal) => verify(line, environment, signal),
    release: (lease, signal) => release(line, lease, signal),
    async reacquire(lease, signal) {
      // The bridge knows the request under the first key, and knows that it is over.
      await take(line, lease, keyOfLease('again', lease), signal);
      return undefined;
    },
  };
}

function toEnvironment({ id, ready, ...said }: z.output<typeof EnvironmentAnswer>): Environment {
  return { id, ready, isDefault: said.default, isEligible: said.eligible };
}

async function take(
  line: Line,
  { environment, ensure, untilAt }: Pick<Lease, 'environment' | 'ensure' | 'untilAt'>,
  key: string,
  signal: AbortSignal,
): Promise<{ environment: string }> {
  const call = { path: '/v1/capacity', body: { environment, ensure, until: iso(untilAt) }, answer: CapacityAnswer };
  return granted(await post(line, call, key, signal));
}

async function verify(line: Line, environment: string, signal: AbortSignal): Promise<Environment> {
  const call = {
    method: 'GET',
    path: `/v1/environments/${encodeURIComponent(environment)}`,
    answer: EnvironmentAnswer,
  } as const;
  const found = toEnvironment(await ask(BRIDGE, line, call, signal));
  if (found.id === environment) return found;
  throw answeredForAnother(found.id, environment);
}

function answeredForAnother(answered: string, asked: string): TargetFailure {
  const message = `the bridge answered for environment ${answered}, not for ${asked}`;
  return new TargetFailure(message, { isFinal: true });
}

/** Names the end of the lease, so that the bridge keeps what another remediation has asked for until later. */
async function release(line: Line, lease: Lease, signal: AbortSignal) {
  const { environment, untilAt } = lease;
  const until = iso(untilAt);
  const call = { path: '/v1/release', body: { environment, until }, answer: ReleaseAnswer };
  const answered = await post(line, call, keyOfLease('release', lease), signal);
  if (!answered.ok && answered.status === 404)
    return { isLeftAlone: true, detail: `Environment ${environment} is gone` };
  const released = granted(answered).environment ?? environment;
  if (released !== environment) throw answeredForAnother(released, environment);
  return { isLeftAlone: false, detail: `Remote capacity of environment ${environment} was given back` };
}

/** One request may have leases on several environments: when the default one has moved between two of its attempts. */
function keyOfLease(what: 'again' | 'release', { effectKey, environment, untilAt }: Lease): string {
  return `${effectKey}/${what}/${encodeURIComponent(environment)}/${untilAt}`;
}

/** A request that changes something. The same key again is the same request, so it can be sent until it is answered. */
function post<Answer>(
  line: Line,
  call: Pick<Call<Answer>, 'path' | 'body' | 'answer'>,
  key: string,
  signal: AbortSignal,
): Promise<Answered<Answer>> {
  return send(
    BRIDGE,
    line,
    { ...call, method: 'POST', headers: { 'idempotency-key': key }, alsoLater: STILL_WORKED_ON },
    signal,
  );
}

/** An earlier attempt did not wait for the end of the same request. */
const STILL_WORKED_ON = [409];

function granted<Answer>(answered: Answered<Answer>): Answer {
  if (answered.ok) return answered.answer;
  throw answered.failure;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
